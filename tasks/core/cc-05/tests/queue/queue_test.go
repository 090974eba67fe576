package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.org/courier/queue"
	"example.org/courier/store/memory"
)

type clock struct{ now time.Time }

func (c *clock) forward(d time.Duration) { c.now = c.now.Add(d) }

func newQueue(t *testing.T) (*queue.Queue, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)}
	last := 0
	q := queue.New(&memory.Store{}, queue.Options{
		Lease:       30 * time.Second,
		MaxAttempts: 3,
		Backoff:     func(attempt int) time.Duration { return time.Duration(attempt) * time.Minute },
		Now:         func() time.Time { return c.now },
		NewID:       func() string { last++; return fmt.Sprintf("job-%d", last) },
	})
	return q, c
}

func enqueue(t *testing.T, q *queue.Queue) queue.Job {
	t.Helper()
	job, err := q.Enqueue(t.Context(), "https://shop.example/hooks", "order.paid", []byte(`{"order":4711}`))
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func claim(t *testing.T, q *queue.Queue, worker string) queue.Job {
	t.Helper()
	job, err := q.Claim(t.Context(), worker)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return job
}

func expectState(t *testing.T, q *queue.Queue, id string, wanted queue.State) queue.Job {
	t.Helper()
	job, err := q.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if job.State != wanted {
		t.Fatalf("%s is %s, wanted %s", id, job.State, wanted)
	}
	return job
}

func expectEmpty(t *testing.T, q *queue.Queue) {
	t.Helper()
	if job, err := q.Claim(t.Context(), "nobody"); !errors.Is(err, queue.ErrEmpty) {
		t.Fatalf("claimed %+v, %v, wanted ErrEmpty", job, err)
	}
}

func TestClaimGivesTheOldestFirst(t *testing.T) {
	q, c := newQueue(t)
	enqueue(t, q)
	c.forward(time.Second)
	enqueue(t, q)
	for i, wanted := range []string{"job-1", "job-2"} {
		job := claim(t, q, "a")
		if job.ID != wanted || job.Attempt != 1 || job.Worker != "a" || job.State != queue.Running {
			t.Fatalf("claim %d gave %+v", i, job)
		}
		if !job.DueAt.Equal(c.now.Add(30 * time.Second)) {
			t.Fatalf("the lease ends at %v", job.DueAt)
		}
	}
	expectEmpty(t, q)
}

func TestComplete(t *testing.T) {
	q, c := newQueue(t)
	enqueue(t, q)
	job := claim(t, q, "a")
	c.forward(time.Second)
	if err := q.Complete(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if job := expectState(t, q, "job-1", queue.Done); !job.EndedAt.Equal(c.now) {
		t.Fatalf("ended at %v", job.EndedAt)
	}
	if err := q.Complete(t.Context(), job); !errors.Is(err, queue.ErrLost) {
		t.Fatalf("completed twice: %v", err)
	}
}

func TestFailedJobsAreTriedAgainAndDieInTheEnd(t *testing.T) {
	q, c := newQueue(t)
	enqueue(t, q)
	for attempt := 1; attempt <= 3; attempt++ {
		job := claim(t, q, "a")
		if job.Attempt != attempt {
			t.Fatalf("attempt %d, wanted %d", job.Attempt, attempt)
		}
		if err := q.Fail(t.Context(), job, errors.New("503")); err != nil {
			t.Fatal(err)
		}
		expectEmpty(t, q)
		c.forward(time.Duration(attempt) * time.Minute)
	}
	if job := expectState(t, q, "job-1", queue.Dead); job.LastError != "503" {
		t.Fatalf("last error %q", job.LastError)
	}
	expectEmpty(t, q)
}

func TestExtendKeepsTheLease(t *testing.T) {
	q, c := newQueue(t)
	enqueue(t, q)
	job := claim(t, q, "a")
	for range 5 {
		c.forward(20 * time.Second)
		if _, err := q.Extend(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		expectEmpty(t, q)
	}
	if err := q.Complete(t.Context(), job); err != nil {
		t.Fatal(err)
	}
}

func TestJobsOfVanishedWorkersAreDueAgain(t *testing.T) {
	q, c := newQueue(t)
	enqueue(t, q)
	claim(t, q, "a")
	c.forward(30 * time.Second)
	if job := claim(t, q, "b"); job.ID != "job-1" || job.Attempt != 2 || job.Worker != "b" {
		t.Fatalf("claimed %+v", job)
	}
	c.forward(30 * time.Second)
	claim(t, q, "c")
	c.forward(30 * time.Second)
	expectEmpty(t, q)
	expectState(t, q, "job-1", queue.Dead)
}

func TestLeaseThatRanOutUnnoticedCountsStill(t *testing.T) {
	q, c := newQueue(t)
	enqueue(t, q)
	job := claim(t, q, "a")
	c.forward(time.Hour)
	if err := q.Complete(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	expectState(t, q, "job-1", queue.Done)
}

func TestCancel(t *testing.T) {
	q, _ := newQueue(t)
	enqueue(t, q)
	if err := q.Cancel(t.Context(), "job-1"); err != nil {
		t.Fatal(err)
	}
	expectState(t, q, "job-1", queue.Cancelled)
	expectEmpty(t, q)
	enqueue(t, q)
	claim(t, q, "a")
	if err := q.Cancel(t.Context(), "job-2"); !errors.Is(err, queue.ErrNotQueued) {
		t.Fatalf("cancelled a running job: %v", err)
	}
	if err := q.Cancel(context.Background(), "job-9"); !errors.Is(err, queue.ErrNotFound) {
		t.Fatalf("cancelled a job that is not there: %v", err)
	}
}
