package queue

import (
	"reflect"
	"testing"
	"time"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }

func names(jobs []Job) []string {
	found := []string{}
	for _, job := range jobs {
		found = append(found, job.Name)
	}
	return found
}

func expect(t *testing.T, found, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(found, wanted) {
		t.Fatalf("found %v, wanted %v", found, wanted)
	}
}

func TestDue(t *testing.T) {
	q := New()
	q.Add(at(5), "five")
	q.Add(at(1), "one")
	q.Add(at(3), "three")
	expect(t, names(q.Due(at(3))), []string{"one", "three"})
	expect(t, q.Len(), 1)
	expect(t, names(q.Due(at(4))), []string{})
}

func TestNext(t *testing.T) {
	q := New()
	_, ok := q.Next()
	expect(t, ok, false)
	q.Add(at(5), "five")
	q.Add(at(1), "one")
	next, ok := q.Next()
	expect(t, ok, true)
	expect(t, next, at(1))
}

func TestCancel(t *testing.T) {
	q := New()
	id := q.Add(at(1), "one")
	expect(t, q.Cancel(id), true)
	expect(t, q.Cancel(id), false)
	expect(t, q.Len(), 0)
}

func TestMove(t *testing.T) {
	q := New()
	id := q.Add(at(1), "one")
	expect(t, q.Move(id, at(9)), true)
	expect(t, names(q.Due(at(5))), []string{})
	expect(t, q.Move(id+1, at(9)), false)
}
