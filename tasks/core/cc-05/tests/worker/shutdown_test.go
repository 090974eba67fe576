package worker

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.org/courier/queue"
	"example.org/courier/store/memory"
)

func TestResultsAreRecordedDuringShutdown(t *testing.T) {
	for name, wanted := range map[string]queue.State{"delivered": queue.Done, "failed": queue.Queued} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, ids := setUp(t, 1)
				ctx, stop := context.WithCancel(t.Context())
				pool := Pool{
					Queue: q, Name: "pool", Grace: 10 * time.Second, Log: quiet,
					Handler: func(ctx context.Context, job queue.Job) error {
						time.Sleep(5 * time.Second)
						if name == "failed" {
							return errors.New("503")
						}
						return ctx.Err()
					},
				}
				time.AfterFunc(time.Second, stop)
				pool.Run(ctx)
				time.Sleep(time.Minute)
				if s := state(t, q, ids[0]); s != wanted {
					t.Errorf("the job is %s, wanted %s", s, wanted)
				}
			})
		})
	}
}

func TestResultsAreRecordedAfterTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, ids := setUp(t, 1)
		ctx, stop := context.WithCancel(t.Context())
		pool := Pool{
			Queue: q, Name: "pool", Grace: 10 * time.Second, Log: quiet,
			Handler: func(ctx context.Context, job queue.Job) error { <-ctx.Done(); return ctx.Err() },
		}
		time.AfterFunc(time.Second, stop)
		pool.Run(ctx)
		time.Sleep(time.Minute)
		if s := state(t, q, ids[0]); s != queue.Queued {
			t.Errorf("the job is %s, wanted queued", s)
		}
	})
}

func TestLeasesAreKeptDuringTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, ids := setUp(t, 1)
		var starts atomic.Int32
		pool := Pool{
			Queue: q, Name: "pool", Grace: 10 * time.Minute, Log: quiet,
			Handler: func(ctx context.Context, job queue.Job) error {
				starts.Add(1)
				time.Sleep(5 * time.Minute)
				return ctx.Err()
			},
		}
		stop := start(t, &pool)
		time.Sleep(time.Second)
		ended := make(chan struct{})
		go func() { stop(); close(ended) }()
		defer func() { <-ended }()
		for range 9 {
			time.Sleep(31 * time.Second)
			if job, err := q.Claim(t.Context(), "other"); !errors.Is(err, queue.ErrEmpty) {
				t.Fatalf("claimed %+v, %v", job, err)
			}
		}
		<-ended
		if s := state(t, q, ids[0]); s != queue.Done {
			t.Errorf("the job is %s", s)
		}
		if n := starts.Load(); n != 1 {
			t.Errorf("the handler ran %d times", n)
		}
	})
}

var errAway = errors.New("connection refused")

// failing is a store that cannot be reached for a while.
type failing struct {
	queue.Store
	away atomic.Bool
}

func (s *failing) Get(ctx context.Context, id string) (queue.Job, error) {
	if s.away.Load() {
		return queue.Job{}, errAway
	}
	return s.Store.Get(ctx, id)
}

func (s *failing) Update(ctx context.Context, job queue.Job) (queue.Job, error) {
	if s.away.Load() {
		return queue.Job{}, errAway
	}
	return s.Store.Update(ctx, job)
}

func (s *failing) Due(ctx context.Context, now time.Time, limit int) ([]queue.Job, error) {
	if s.away.Load() {
		return nil, errAway
	}
	return s.Store.Due(ctx, now, limit)
}

func TestHandlerOfALostJobIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory.Store{}
		reached := &failing{Store: store}
		q, other := queue.New(reached, queue.Options{}), queue.New(store, queue.Options{})
		made, err := other.Enqueue(t.Context(), "https://shop.example/hooks", "order.paid", nil)
		if err != nil {
			t.Fatal(err)
		}
		var told atomic.Bool
		pool := Pool{
			Queue: q, Name: "pool", Heartbeat: 10 * time.Second, Log: quiet,
			Handler: func(ctx context.Context, job queue.Job) error {
				select {
				case <-ctx.Done():
					told.Store(true)
					return ctx.Err()
				case <-time.After(time.Hour):
					return nil
				}
			},
		}
		defer start(t, &pool)()
		time.Sleep(time.Second)
		reached.away.Store(true)
		time.Sleep(32 * time.Second)
		job, err := other.Claim(t.Context(), "other")
		if err != nil {
			t.Fatalf("claim: %v", err)
		}
		time.Sleep(time.Second)
		reached.away.Store(false)
		time.Sleep(11 * time.Second)
		if !told.Load() {
			t.Errorf("the handler goes on with a job that is not its own any more")
		}
		if found, err := other.Get(t.Context(), made.ID); err != nil || found.Worker != "other" || found.State != queue.Running {
			t.Fatalf("the job is %+v, %v", found, err)
		}
		if err := other.Complete(t.Context(), job); err != nil {
			t.Fatalf("complete: %v", err)
		}
		time.Sleep(time.Minute)
		if found, err := other.Get(t.Context(), made.ID); err != nil || found.State != queue.Done {
			t.Fatalf("the job is %+v, %v", found, err)
		}
	})
}

func TestAnUnreachableStoreDoesNotEndHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory.Store{}
		reached := &failing{Store: store}
		q := queue.New(reached, queue.Options{})
		made, err := q.Enqueue(t.Context(), "https://shop.example/hooks", "order.paid", nil)
		if err != nil {
			t.Fatal(err)
		}
		pool := Pool{
			Queue: q, Name: "pool", Heartbeat: 10 * time.Second, Log: quiet,
			Handler: func(ctx context.Context, job queue.Job) error { time.Sleep(time.Minute); return ctx.Err() },
		}
		defer start(t, &pool)()
		time.Sleep(time.Second)
		reached.away.Store(true)
		time.Sleep(15 * time.Second)
		reached.away.Store(false)
		time.Sleep(time.Minute)
		if found, err := q.Get(t.Context(), made.ID); err != nil || found.State != queue.Done || found.Attempt != 1 {
			t.Errorf("the job is %+v, %v", found, err)
		}
	})
}
