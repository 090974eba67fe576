// Package worker runs the jobs of a queue.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"example.org/courier/queue"
)

// Handler does a job. The context ends when the result is not wanted any more.
type Handler func(ctx context.Context, job queue.Job) error

// Pool hands the jobs of a queue to a handler.
type Pool struct {
	// Queue is where jobs come from.
	Queue *queue.Queue
	// Handler does them.
	Handler Handler
	// Name is what the pool calls itself when it claims jobs.
	Name string
	// Size is how many jobs are done at a time; 1.
	Size int
	// Poll is how long to wait when no job is due; 1 second.
	Poll time.Duration
	// Heartbeat is how often leases are extended; a third of the lease.
	Heartbeat time.Duration
	// Grace is how long handlers may go on after the end of Run's context; 20 seconds.
	Grace time.Duration
	// Log is told what goes wrong; slog.Default.
	Log *slog.Logger
}

// Run does jobs until ctx ends and the handlers at work have returned.
func (p *Pool) Run(ctx context.Context) {
	poll, heartbeat, grace, log := p.Poll, p.Heartbeat, p.Grace, p.Log
	if poll <= 0 {
		poll = time.Second
	}
	if heartbeat <= 0 {
		heartbeat = p.Queue.Lease() / 3
	}
	if grace <= 0 {
		grace = 20 * time.Second
	}
	if log == nil {
		log = slog.Default()
	}
	// Handlers outlive ctx by the grace.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, stop)
		context.AfterFunc(work, func() { timer.Stop() })
	})()

	var workers sync.WaitGroup
	for range max(p.Size, 1) {
		workers.Go(func() {
			for ctx.Err() == nil {
				job, err := p.Queue.Claim(ctx, p.Name)
				if err != nil {
					if !errors.Is(err, queue.ErrEmpty) && ctx.Err() == nil {
						log.Error("claim", "error", err)
					}
					select {
					case <-time.After(poll):
					case <-ctx.Done():
					}
					continue
				}
				p.do(ctx, work, job, heartbeat, log.With("job", job.ID, "attempt", job.Attempt))
			}
		})
	}
	workers.Wait()
}

// do runs the handler on a claimed job, keeps the lease meanwhile, and records how it went.
func (p *Pool) do(ctx, work context.Context, job queue.Job, heartbeat time.Duration, log *slog.Logger) {
	beating := make(chan struct{})
	go func() {
		ticker := time.NewTicker(heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if _, err := p.Queue.Extend(ctx, job); err != nil {
					log.Warn("heartbeat", "error", err)
				}
			case <-beating:
				return
			}
		}
	}()

	failure := p.handle(work, job)
	close(beating)

	if failure != nil {
		log.Info("attempt failed", "error", failure)
		if err := p.Queue.Fail(ctx, job, failure); err != nil {
			log.Error("record failure", "error", err)
		}
		return
	}
	if err := p.Queue.Complete(ctx, job); err != nil {
		log.Error("record delivery", "error", err)
	}
}

// handle runs the handler; a panic is a failure like any other.
func (p *Pool) handle(ctx context.Context, job queue.Job) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	return p.Handler(ctx, job)
}
