// Package queue holds the rules by which webhooks wait, run and end.
package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Errors of a queue.
var (
	// ErrEmpty says that no job is due.
	ErrEmpty = errors.New("queue: no job is due")
	// ErrLost says that the caller does not hold the job any more.
	ErrLost = errors.New("queue: the job is not held by this worker any more")
	// ErrNotQueued says that a job cannot be cancelled because it runs or has ended.
	ErrNotQueued = errors.New("queue: the job is not waiting")
)

// Options of a queue. The zero value of each field stands for its default.
type Options struct {
	// Lease is how long a claimed job belongs to its worker unless it is extended; 30 seconds.
	Lease time.Duration
	// MaxAttempts is how often a job is tried; 8.
	MaxAttempts int
	// Backoff is how long a job waits after a failed attempt; by default 2, 4, 8 … seconds, at most 10 minutes.
	Backoff func(attempt int) time.Duration
	// Now is the clock; time.Now.
	Now func() time.Time
	// NewID makes the ids of jobs; random UUIDs.
	NewID func() string
}

// Queue applies the rules to the jobs of a store.
type Queue struct {
	store   Store
	options Options
}

// New makes a queue over a store.
func New(store Store, options Options) *Queue {
	if options.Lease <= 0 {
		options.Lease = 30 * time.Second
	}
	if options.MaxAttempts <= 0 {
		options.MaxAttempts = 8
	}
	if options.Backoff == nil {
		options.Backoff = exponential
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.NewID == nil {
		options.NewID = uuid.NewString
	}
	return &Queue{store: store, options: options}
}

func exponential(attempt int) time.Duration {
	const most = 10 * time.Minute
	if attempt > 9 {
		return most
	}
	return min(time.Second<<attempt, most)
}

// Lease is how long a claimed job belongs to its worker.
func (q *Queue) Lease() time.Duration { return q.options.Lease }

// Enqueue adds a webhook that is due at once.
func (q *Queue) Enqueue(ctx context.Context, url, event string, payload json.RawMessage) (Job, error) {
	now := q.options.Now()
	job := Job{
		ID: q.options.NewID(), URL: url, Event: event, Payload: payload,
		State: Queued, DueAt: now, CreatedAt: now, Version: 1,
	}
	if err := q.store.Insert(ctx, job); err != nil {
		return Job{}, fmt.Errorf("enqueue: %w", err)
	}
	return job, nil
}

// Get reads a job.
func (q *Queue) Get(ctx context.Context, id string) (Job, error) { return q.store.Get(ctx, id) }

// Counts says how many jobs are in each state.
func (q *Queue) Counts(ctx context.Context) (map[State]int, error) { return q.store.Counts(ctx) }

// Claim gives the job that is due the longest to a worker. It fails with ErrEmpty if there is none.
func (q *Queue) Claim(ctx context.Context, worker string) (Job, error) {
	now := q.options.Now()
	for {
		due, err := q.store.Due(ctx, now, 1)
		if err != nil {
			return Job{}, fmt.Errorf("claim: %w", err)
		}
		if len(due) == 0 {
			return Job{}, ErrEmpty
		}
		job := due[0]
		if job.Attempt >= q.options.MaxAttempts {
			// Its last worker vanished.
			job.State, job.EndedAt, job.LastError = Dead, now, "the lease of the last attempt ran out"
			if _, err := q.save(ctx, job); err != nil {
				return Job{}, fmt.Errorf("claim: %w", err)
			}
			continue
		}
		job.State = Running
		job.Attempt++
		job.Worker = worker
		job.DueAt = now.Add(q.options.Lease)
		job, err = q.save(ctx, job)
		if err != nil {
			return Job{}, fmt.Errorf("claim: %w", err)
		}
		return job, nil
	}
}

// Extend renews the lease of a claimed job.
func (q *Queue) Extend(ctx context.Context, job Job) (Job, error) {
	current, err := q.held(ctx, job)
	if err != nil {
		return Job{}, fmt.Errorf("extend: %w", err)
	}
	current.DueAt = q.options.Now().Add(q.options.Lease)
	current, err = q.save(ctx, current)
	if err != nil {
		return Job{}, fmt.Errorf("extend: %w", err)
	}
	return current, nil
}

// Complete says that a claimed job was delivered.
func (q *Queue) Complete(ctx context.Context, job Job) error {
	current, err := q.held(ctx, job)
	if err != nil {
		return fmt.Errorf("complete: %w", err)
	}
	current.State, current.EndedAt, current.LastError = Done, q.options.Now(), ""
	if _, err := q.save(ctx, current); err != nil {
		return fmt.Errorf("complete: %w", err)
	}
	return nil
}

// Fail says that the attempt at a claimed job failed. The job is due again later, or dead.
func (q *Queue) Fail(ctx context.Context, job Job, cause error) error {
	current, err := q.held(ctx, job)
	if err != nil {
		return fmt.Errorf("fail: %w", err)
	}
	now := q.options.Now()
	current.LastError = cause.Error()
	if current.Attempt >= q.options.MaxAttempts {
		current.State, current.EndedAt = Dead, now
	} else {
		current.State, current.DueAt = Queued, now.Add(q.options.Backoff(current.Attempt))
	}
	if _, err := q.save(ctx, current); err != nil {
		return fmt.Errorf("fail: %w", err)
	}
	return nil
}

// Cancel takes a waiting job out of the queue. It fails with ErrNotQueued if the job runs or has ended.
func (q *Queue) Cancel(ctx context.Context, id string) error {
	job, err := q.store.Get(ctx, id)
	if err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	if job.State != Queued {
		return fmt.Errorf("cancel: %w", ErrNotQueued)
	}
	job.State, job.EndedAt = Cancelled, q.options.Now()
	if _, err := q.save(ctx, job); err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	return nil
}

// held reads a job that a worker has claimed. It fails with ErrLost if the job does not run any more.
func (q *Queue) held(ctx context.Context, job Job) (Job, error) {
	current, err := q.store.Get(ctx, job.ID)
	if err != nil {
		return Job{}, err
	}
	if current.State != Running {
		return Job{}, ErrLost
	}
	return current, nil
}

// save writes a job. The store refuses old versions, which heartbeats make all the time, so the present one is looked up
// first.
func (q *Queue) save(ctx context.Context, job Job) (Job, error) {
	for {
		current, err := q.store.Get(ctx, job.ID)
		if err != nil {
			return Job{}, err
		}
		job.Version = current.Version
		saved, err := q.store.Update(ctx, job)
		if errors.Is(err, ErrConflict) {
			continue
		}
		return saved, err
	}
}
