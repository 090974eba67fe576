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

// scheduled runs something else before or after one of the calls that a queue makes to its store, as another process
// would.
type scheduled struct {
	queue.Store
	at    int // twice the number of the call, one more for after it
	next  int
	other func()
	ran   bool
}

func (s *scheduled) point() {
	if s.other != nil && s.next == s.at {
		other := s.other
		s.other, s.ran = nil, true
		other()
	}
	s.next++
}

func (s *scheduled) Get(ctx context.Context, id string) (queue.Job, error) {
	s.point()
	defer s.point()
	return s.Store.Get(ctx, id)
}

func (s *scheduled) Update(ctx context.Context, job queue.Job) (queue.Job, error) {
	s.point()
	defer s.point()
	return s.Store.Update(ctx, job)
}

func (s *scheduled) Due(ctx context.Context, now time.Time, limit int) ([]queue.Job, error) {
	s.point()
	defer s.point()
	return s.Store.Due(ctx, now, limit)
}

func (s *scheduled) Counts(ctx context.Context) (map[queue.State]int, error) {
	s.point()
	defer s.point()
	return s.Store.Counts(ctx)
}

// world is two processes with one store.
type world struct {
	*testing.T
	clock     *clock
	store     *memory.Store
	scheduled *scheduled
	// a makes its calls by the schedule, b between them.
	a, b *queue.Queue
}

func newWorld(t *testing.T, at int) *world {
	w := &world{T: t, clock: &clock{now: time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)}, store: &memory.Store{}}
	w.scheduled = &scheduled{Store: w.store, at: at}
	last := 0
	options := queue.Options{
		Lease:       30 * time.Second,
		MaxAttempts: 3,
		Backoff:     func(int) time.Duration { return time.Minute },
		Now:         func() time.Time { return w.clock.now },
		NewID:       func() string { last++; return fmt.Sprintf("job-%d", last) },
	}
	w.a, w.b = queue.New(w.scheduled, options), queue.New(w.store, options)
	return w
}

// between sets what b does at the scheduled point of what a does next.
func (w *world) between(other func()) {
	w.scheduled.next, w.scheduled.other = 0, other
}

func (w *world) wrong(format string, arguments ...any) {
	w.Helper()
	w.Fatalf("with the other at point %d: %s", w.scheduled.at, fmt.Sprintf(format, arguments...))
}

func (w *world) stored(id string) queue.Job {
	w.Helper()
	job, err := w.store.Get(context.Background(), id)
	if err != nil {
		w.wrong("%v", err)
	}
	return job
}

func (w *world) expect(id string, state queue.State, worker string, attempt int) {
	w.Helper()
	job := w.stored(id)
	if job.State != state || job.Worker != worker || job.Attempt != attempt {
		w.wrong("%s is %s, worker %q, attempt %d; wanted %s, worker %q, attempt %d",
			id, job.State, job.Worker, job.Attempt, state, worker, attempt)
	}
}

// everywhere plays a scenario with the other at each point there is.
func everywhere(t *testing.T, play func(*world)) {
	t.Helper()
	for at := 0; ; at++ {
		w := newWorld(t, at)
		play(w)
		if !w.scheduled.ran {
			if at < 2 {
				t.Fatalf("the queue did not use its store")
			}
			return
		}
	}
}

var ends = map[string]func(*queue.Queue, queue.Job) error{
	"complete": func(q *queue.Queue, job queue.Job) error { return q.Complete(context.Background(), job) },
	"fail": func(q *queue.Queue, job queue.Job) error {
		return q.Fail(context.Background(), job, errors.New("503"))
	},
}

var operations = map[string]func(*queue.Queue, queue.Job) error{
	"complete": ends["complete"],
	"fail":     ends["fail"],
	"extend": func(q *queue.Queue, job queue.Job) error {
		_, err := q.Extend(context.Background(), job)
		return err
	},
}

func TestTwoWorkersClaimOneJob(t *testing.T) {
	everywhere(t, func(w *world) {
		enqueue(t, w.b)
		errB := errors.New("not called")
		w.between(func() { _, errB = w.b.Claim(t.Context(), "b") })
		_, errA := w.a.Claim(t.Context(), "a")
		switch {
		case !w.scheduled.ran:
		case errA == nil && errors.Is(errB, queue.ErrEmpty):
			w.expect("job-1", queue.Running, "a", 1)
		case errB == nil && errors.Is(errA, queue.ErrEmpty):
			w.expect("job-1", queue.Running, "b", 1)
		default:
			w.wrong("a got %v, b got %v; wanted one job and one ErrEmpty", errA, errB)
		}
	})
}

func TestTwoWorkersClaimTwoJobs(t *testing.T) {
	everywhere(t, func(w *world) {
		enqueue(t, w.b)
		enqueue(t, w.b)
		var jobB queue.Job
		var errB error
		w.between(func() { jobB, errB = w.b.Claim(t.Context(), "b") })
		jobA, errA := w.a.Claim(t.Context(), "a")
		if errA != nil || errB != nil || jobA.ID == jobB.ID {
			w.wrong("a got %q, %v, b got %q, %v; wanted a job for each", jobA.ID, errA, jobB.ID, errB)
		}
		w.expect(jobA.ID, queue.Running, "a", 1)
		if w.scheduled.ran {
			w.expect(jobB.ID, queue.Running, "b", 1)
		}
	})
}

func TestClaimAndCancel(t *testing.T) {
	check := func(w *world, claimed, cancelled error) {
		switch {
		case !w.scheduled.ran:
		case claimed == nil && errors.Is(cancelled, queue.ErrNotQueued):
			w.expect("job-1", queue.Running, "w", 1)
		case errors.Is(claimed, queue.ErrEmpty) && cancelled == nil:
			w.expect("job-1", queue.Cancelled, "", 0)
		default:
			w.wrong("Claim said %v, Cancel said %v", claimed, cancelled)
		}
	}
	t.Run("claimed_while_cancelling", func(t *testing.T) {
		everywhere(t, func(w *world) {
			enqueue(t, w.b)
			var claimed error
			w.between(func() { _, claimed = w.b.Claim(t.Context(), "w") })
			cancelled := w.a.Cancel(t.Context(), "job-1")
			check(w, claimed, cancelled)
		})
	})
	t.Run("cancelled_while_claiming", func(t *testing.T) {
		everywhere(t, func(w *world) {
			enqueue(t, w.b)
			var cancelled error
			w.between(func() { cancelled = w.b.Cancel(t.Context(), "job-1") })
			_, claimed := w.a.Claim(t.Context(), "w")
			check(w, claimed, cancelled)
		})
	})
}

func TestLateHolderChangesNothing(t *testing.T) {
	for _, next := range []string{"other", "same"} {
		for name, operation := range operations {
			t.Run(next+"_worker_"+name, func(t *testing.T) {
				w := newWorld(t, -1)
				enqueue(t, w.b)
				first := claim(t, w.a, "same")
				w.clock.forward(31 * time.Second)
				second := claim(t, w.b, next)
				w.clock.forward(time.Second)
				before := w.stored("job-1")
				if err := operation(w.a, first); !errors.Is(err, queue.ErrLost) {
					t.Fatalf("the first holder got %v, wanted ErrLost", err)
				}
				after := w.stored("job-1")
				if after.State != before.State || after.Worker != before.Worker || after.Attempt != before.Attempt ||
					!after.DueAt.Equal(before.DueAt) || after.LastError != before.LastError {
					t.Fatalf("the job was %+v, is %+v", before, after)
				}
				if _, err := w.b.Extend(t.Context(), second); err != nil {
					t.Fatalf("the second holder: %v", err)
				}
				if err := w.b.Complete(t.Context(), second); err != nil {
					t.Fatalf("the second holder: %v", err)
				}
				if err := operation(w.a, first); !errors.Is(err, queue.ErrLost) {
					t.Fatalf("the first holder got %v, wanted ErrLost", err)
				}
				expectState(t, w.b, "job-1", queue.Done)
			})
		}
	}
}

func TestHolderOfAnExpiredLeaseAndTheNextClaim(t *testing.T) {
	for _, next := range []string{"other", "same"} {
		for name, operation := range operations {
			check := func(w *world, held, claimed error) {
				state := map[string]queue.State{"complete": queue.Done, "fail": queue.Queued, "extend": queue.Running}[name]
				switch {
				case !w.scheduled.ran:
				case held == nil && errors.Is(claimed, queue.ErrEmpty):
					w.expect("job-1", state, "same", 1)
				case errors.Is(held, queue.ErrLost) && claimed == nil:
					w.expect("job-1", queue.Running, next, 2)
				default:
					w.wrong("the holder got %v, the next %v", held, claimed)
				}
			}
			t.Run(name+"_and_"+next+"_worker_claims", func(t *testing.T) {
				everywhere(t, func(w *world) {
					enqueue(t, w.b)
					job := claim(t, w.b, "same")
					w.clock.forward(31 * time.Second)
					var claimed error
					w.between(func() { _, claimed = w.b.Claim(t.Context(), next) })
					held := operation(w.a, job)
					check(w, held, claimed)
				})
			})
			t.Run(next+"_worker_claims_and_"+name, func(t *testing.T) {
				everywhere(t, func(w *world) {
					enqueue(t, w.b)
					job := claim(t, w.b, "same")
					w.clock.forward(31 * time.Second)
					var held error
					w.between(func() { held = operation(w.b, job) })
					_, claimed := w.a.Claim(t.Context(), next)
					check(w, held, claimed)
				})
			})
		}
	}
}

func TestLastAttemptIsReportedWhileItsLeaseRunsOut(t *testing.T) {
	for name, operation := range operations {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(w *world) {
				enqueue(t, w.b)
				var job queue.Job
				for range 3 {
					job = claim(t, w.b, "w")
					w.clock.forward(31 * time.Second)
				}
				var held error
				w.between(func() { held = operation(w.b, job) })
				if _, err := w.a.Claim(t.Context(), "a"); !errors.Is(err, queue.ErrEmpty) {
					w.wrong("Claim said %v, wanted ErrEmpty", err)
				}
				state := map[string]queue.State{"complete": queue.Done, "fail": queue.Dead, "extend": queue.Running}[name]
				switch {
				case !w.scheduled.ran:
				case held == nil:
					w.expect("job-1", state, "w", 3)
				case errors.Is(held, queue.ErrLost):
					w.expect("job-1", queue.Dead, "w", 3)
				default:
					w.wrong("the holder got %v", held)
				}
			})
		})
	}
}

func TestHeartbeatWhileAnAttemptEnds(t *testing.T) {
	for name, end := range ends {
		check := func(w *world, ended, beat error) {
			if ended != nil {
				w.wrong("%s: %v", name, ended)
			}
			if beat != nil && !errors.Is(beat, queue.ErrLost) {
				w.wrong("extend: %v", beat)
			}
			job := w.stored("job-1")
			switch {
			case name == "complete" && job.State == queue.Done:
			case name == "fail" && job.State == queue.Queued && job.DueAt.Equal(w.clock.now.Add(time.Minute)) &&
				job.LastError == "503":
			default:
				w.wrong("after %s the job is %+v", name, job)
			}
		}
		t.Run("extended_during_"+name, func(t *testing.T) {
			everywhere(t, func(w *world) {
				enqueue(t, w.b)
				job := claim(t, w.b, "w")
				w.clock.forward(10 * time.Second)
				var beat error
				w.between(func() { _, beat = w.b.Extend(t.Context(), job) })
				ended := end(w.a, job)
				check(w, ended, beat)
			})
		})
		t.Run(name+"_during_extend", func(t *testing.T) {
			everywhere(t, func(w *world) {
				enqueue(t, w.b)
				job := claim(t, w.b, "w")
				w.clock.forward(10 * time.Second)
				var ended error
				w.between(func() { ended = end(w.b, job) })
				_, beat := w.a.Extend(t.Context(), job)
				if w.scheduled.ran {
					check(w, ended, beat)
				}
			})
		})
	}
}

// busy lets a heartbeat through before each of the first writes.
type busy struct {
	queue.Store
	beats int
	beat  func()
}

func (s *busy) Update(ctx context.Context, job queue.Job) (queue.Job, error) {
	if s.beats > 0 {
		s.beats--
		s.beat()
	}
	return s.Store.Update(ctx, job)
}

func TestAnAttemptEndsAmongManyHeartbeats(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, -1)
			enqueue(t, w.b)
			job := claim(t, w.b, "w")
			store := &busy{Store: w.store, beats: 6}
			store.beat = func() {
				if _, err := w.b.Extend(t.Context(), job); err != nil {
					t.Fatalf("extend: %v", err)
				}
			}
			q := queue.New(store, queue.Options{Now: func() time.Time { return w.clock.now }})
			if err := end(q, job); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			wanted := map[string]queue.State{"complete": queue.Done, "fail": queue.Queued}[name]
			expectState(t, q, "job-1", wanted)
		})
	}
}
