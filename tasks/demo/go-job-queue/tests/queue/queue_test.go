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

func TestCancelAmongOthers(t *testing.T) {
	q := New()
	ids := map[string]ID{}
	for i, name := range []string{"nine", "three", "seven", "one", "five"} {
		ids[name] = q.Add(at([]int{9, 3, 7, 1, 5}[i]), name)
	}
	expect(t, q.Cancel(ids["seven"]), true)
	expect(t, q.Cancel(ids["one"]), true)
	expect(t, names(q.Due(at(10))), []string{"three", "five", "nine"})
}

func TestMoveAmongOthers(t *testing.T) {
	q := New()
	late := q.Add(at(9), "late")
	q.Add(at(3), "three")
	early := q.Add(at(1), "early")
	q.Add(at(5), "five")
	expect(t, q.Move(late, at(0)), true)
	expect(t, q.Move(early, at(10)), true)
	expect(t, names(q.Due(at(20))), []string{"late", "three", "five", "early"})
}

func TestJobsThatAreDoneAreGone(t *testing.T) {
	q := New()
	done := q.Add(at(1), "done")
	q.Add(at(5), "five")
	q.Due(at(1))
	for name, gone := range map[string]func() bool{
		"cancel": func() bool { return q.Cancel(done) },
		"move":   func() bool { return q.Move(done, at(9)) },
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, gone(), false)
			expect(t, q.Len(), 1)
		})
	}
}

func TestJobsOfOneTimeKeepTheirOrder(t *testing.T) {
	q := New()
	wanted := []string{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		q.Add(at(1), name)
		wanted = append(wanted, name)
	}
	expect(t, names(q.Due(at(1))), wanted)
}
