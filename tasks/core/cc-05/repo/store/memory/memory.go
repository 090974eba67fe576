// Package memory is a store in memory.
package memory

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"example.org/courier/queue"
)

// Store keeps jobs in memory. The zero value is ready.
type Store struct {
	mu   sync.Mutex
	jobs map[string]queue.Job
}

var _ queue.Store = (*Store)(nil)

// Insert adds a job.
func (s *Store) Insert(ctx context.Context, job queue.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.jobs[job.ID]; exists {
		return queue.ErrExists
	}
	if s.jobs == nil {
		s.jobs = map[string]queue.Job{}
	}
	s.jobs[job.ID] = job.Clone()
	return nil
}

// Get reads a job.
func (s *Store) Get(ctx context.Context, id string) (queue.Job, error) {
	if err := ctx.Err(); err != nil {
		return queue.Job{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	job, exists := s.jobs[id]
	if !exists {
		return queue.Job{}, queue.ErrNotFound
	}
	return job.Clone(), nil
}

// Update replaces a job whose version is still the one given.
func (s *Store) Update(ctx context.Context, job queue.Job) (queue.Job, error) {
	if err := ctx.Err(); err != nil {
		return queue.Job{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	current, exists := s.jobs[job.ID]
	if !exists {
		return queue.Job{}, queue.ErrNotFound
	}
	if current.Version != job.Version {
		return queue.Job{}, queue.ErrConflict
	}
	job = job.Clone()
	job.Version++
	s.jobs[job.ID] = job
	return job.Clone(), nil
}

// Due lists jobs whose time has come.
func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]queue.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []queue.Job
	for _, job := range s.jobs {
		if !job.State.Final() && !job.DueAt.After(now) {
			due = append(due, job.Clone())
		}
	}
	slices.SortFunc(due, func(a, b queue.Job) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return due[:min(limit, len(due))], nil
}

// Counts says how many jobs are in each state.
func (s *Store) Counts(ctx context.Context) (map[queue.State]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := map[queue.State]int{}
	for _, job := range s.jobs {
		counts[job.State]++
	}
	return counts, nil
}
