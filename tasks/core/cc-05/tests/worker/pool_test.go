package worker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"example.org/courier/queue"
	"example.org/courier/store/memory"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func setUp(t *testing.T, jobs int) (*queue.Queue, []string) {
	t.Helper()
	q := queue.New(&memory.Store{}, queue.Options{MaxAttempts: 2})
	var ids []string
	for range jobs {
		job, err := q.Enqueue(t.Context(), "https://shop.example/hooks", "order.paid", nil)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, job.ID)
	}
	return q, ids
}

func state(t *testing.T, q *queue.Queue, id string) queue.State {
	t.Helper()
	job, err := q.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return job.State
}

// start runs a pool. What it returns ends the pool and waits until nothing of it is left.
func start(t *testing.T, pool *Pool) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pool.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
		time.Sleep(time.Minute)
	}
}

func TestPoolDoesJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, ids := setUp(t, 20)
		pool := Pool{
			Queue: q, Name: "pool", Size: 1, Log: quiet,
			Handler: func(ctx context.Context, job queue.Job) error { return nil },
		}
		defer start(t, &pool)()
		time.Sleep(time.Second / 2)
		for _, id := range ids {
			if s := state(t, q, id); s != queue.Done {
				t.Errorf("%s is %s", id, s)
			}
		}
	})
}

func TestPoolKeepsLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, ids := setUp(t, 1)
		pool := Pool{
			Queue: q, Name: "pool", Log: quiet,
			Handler: func(ctx context.Context, job queue.Job) error { time.Sleep(5 * time.Minute); return nil },
		}
		defer start(t, &pool)()
		for range 9 {
			time.Sleep(31 * time.Second)
			if job, err := q.Claim(t.Context(), "other"); !errors.Is(err, queue.ErrEmpty) {
				t.Fatalf("claimed %+v, %v", job, err)
			}
		}
		time.Sleep(time.Minute)
		if s := state(t, q, ids[0]); s != queue.Done {
			t.Errorf("the job is %s", s)
		}
	})
}

func TestPoolRecordsFailuresAndPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, ids := setUp(t, 2)
		pool := Pool{
			Queue: q, Name: "pool", Log: quiet,
			Handler: func(ctx context.Context, job queue.Job) error {
				if job.ID == ids[0] {
					return errors.New("503")
				}
				panic("no endpoint")
			},
		}
		defer start(t, &pool)()
		time.Sleep(time.Minute)
		for id, wanted := range map[string]string{ids[0]: "503", ids[1]: "panic: no endpoint"} {
			job, err := q.Get(t.Context(), id)
			if err != nil || job.State != queue.Dead || job.LastError != wanted {
				t.Errorf("the job is %+v, %v, wanted %q", job, err, wanted)
			}
		}
	})
}

func TestHandlersMayGoOnForTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, _ := setUp(t, 1)
		ctx, stop := context.WithCancel(t.Context())
		begin := time.Now()
		pool := Pool{
			Queue: q, Name: "pool", Grace: 5 * time.Second, Log: quiet,
			Handler: func(ctx context.Context, job queue.Job) error { <-ctx.Done(); return ctx.Err() },
		}
		time.AfterFunc(time.Second, stop)
		pool.Run(ctx)
		if took := time.Since(begin); took != 6*time.Second {
			t.Errorf("Run returned after %v", took)
		}
		time.Sleep(time.Minute)
	})
}
