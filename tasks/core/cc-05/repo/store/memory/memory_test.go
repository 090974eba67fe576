package memory

import (
	"errors"
	"testing"
	"time"

	"example.org/courier/queue"
)

var start = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

func job(id string, due time.Duration) queue.Job {
	return queue.Job{ID: id, State: queue.Queued, DueAt: start.Add(due), CreatedAt: start, Version: 1}
}

func TestInsertAndGet(t *testing.T) {
	var s Store
	if err := s.Insert(t.Context(), job("a", 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Insert(t.Context(), job("a", 0)); !errors.Is(err, queue.ErrExists) {
		t.Fatalf("inserted twice: %v", err)
	}
	if found, err := s.Get(t.Context(), "a"); err != nil || found.ID != "a" {
		t.Fatalf("got %+v, %v", found, err)
	}
	if _, err := s.Get(t.Context(), "b"); !errors.Is(err, queue.ErrNotFound) {
		t.Fatalf("got one that is not there: %v", err)
	}
}

func TestUpdateRefusesOldVersions(t *testing.T) {
	var s Store
	_ = s.Insert(t.Context(), job("a", 0))
	first, _ := s.Get(t.Context(), "a")
	second, _ := s.Get(t.Context(), "a")
	first.Worker = "first"
	if saved, err := s.Update(t.Context(), first); err != nil || saved.Version != 2 {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	second.Worker = "second"
	if _, err := s.Update(t.Context(), second); !errors.Is(err, queue.ErrConflict) {
		t.Fatalf("saved an old version: %v", err)
	}
	if found, _ := s.Get(t.Context(), "a"); found.Worker != "first" {
		t.Fatalf("found %+v", found)
	}
}

func TestDue(t *testing.T) {
	var s Store
	for id, due := range map[string]time.Duration{"late": 2, "early": 1, "later": 3, "future": time.Hour} {
		_ = s.Insert(t.Context(), job(id, due))
	}
	done := job("done", 0)
	done.State = queue.Done
	_ = s.Insert(t.Context(), done)
	due, err := s.Due(t.Context(), start.Add(time.Minute), 2)
	if err != nil || len(due) != 2 || due[0].ID != "early" || due[1].ID != "late" {
		t.Fatalf("due: %+v, %v", due, err)
	}
}

func TestCounts(t *testing.T) {
	var s Store
	_ = s.Insert(t.Context(), job("a", 0))
	_ = s.Insert(t.Context(), job("b", 0))
	if counts, err := s.Counts(t.Context()); err != nil || counts[queue.Queued] != 2 {
		t.Fatalf("counts: %v, %v", counts, err)
	}
}
