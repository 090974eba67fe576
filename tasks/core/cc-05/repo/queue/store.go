package queue

import (
	"context"
	"errors"
	"time"
)

// Errors of a store.
var (
	ErrNotFound = errors.New("queue: no such job")
	ErrExists   = errors.New("queue: the job exists already")
	ErrConflict = errors.New("queue: the job was changed in the meantime")
)

// Store keeps jobs. Its methods may be called by several goroutines and several processes at a time; each of them is
// atomic. Jobs that go in and come out are copies.
//
// Other repositories implement this interface. Changing it takes a coordinated release.
type Store interface {
	// Insert adds a job, or fails with ErrExists.
	Insert(ctx context.Context, job Job) error
	// Get reads a job, or fails with ErrNotFound.
	Get(ctx context.Context, id string) (Job, error)
	// Update replaces a job whose stored version is job.Version and returns it with its new version. It fails with
	// ErrConflict if the stored version is another one.
	Update(ctx context.Context, job Job) (Job, error)
	// Due lists at most limit jobs that are queued or running and whose DueAt is not after now, the earliest first.
	Due(ctx context.Context, now time.Time, limit int) ([]Job, error)
	// Counts says how many jobs are in each state.
	Counts(ctx context.Context) (map[State]int, error)
}
