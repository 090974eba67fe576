// Package queue holds jobs until they are due.
package queue

import (
	"container/heap"
	"time"
)

// ID names a job of one queue.
type ID int

// Job is something to do at a time.
type Job struct {
	ID   ID
	At   time.Time
	Name string
}

type item struct {
	job   Job
	index int
}

// Queue holds jobs, the earliest at hand. The zero value is not ready; use New.
type Queue struct {
	items items
	byID  map[ID]*item
	last  ID
}

// New makes an empty queue.
func New() *Queue {
	return &Queue{byID: map[ID]*item{}}
}

// Add puts a job into the queue.
func (q *Queue) Add(at time.Time, name string) ID {
	q.last++
	it := &item{job: Job{ID: q.last, At: at, Name: name}, index: len(q.items)}
	q.byID[q.last] = it
	heap.Push(&q.items, it)
	return q.last
}

// Cancel takes a job out of the queue and says whether it was there.
func (q *Queue) Cancel(id ID) bool {
	it, ok := q.byID[id]
	if !ok {
		return false
	}
	delete(q.byID, id)
	heap.Remove(&q.items, it.index)
	return true
}

// Move changes the time of a job and says whether it was there.
func (q *Queue) Move(id ID, at time.Time) bool {
	it, ok := q.byID[id]
	if !ok {
		return false
	}
	it.job.At = at
	heap.Fix(&q.items, it.index)
	return true
}

// Due takes all jobs out whose time has come, the earliest first.
func (q *Queue) Due(now time.Time) []Job {
	var due []Job
	for len(q.items) > 0 && !q.items[0].job.At.After(now) {
		due = append(due, heap.Pop(&q.items).(*item).job)
	}
	return due
}

// Next is when the earliest job is due; false if there is none.
func (q *Queue) Next() (time.Time, bool) {
	if len(q.items) == 0 {
		return time.Time{}, false
	}
	return q.items[0].job.At, true
}

// Len is how many jobs wait.
func (q *Queue) Len() int { return len(q.items) }

// items is the heap.
type items []*item

func (s items) Len() int { return len(s) }

func (s items) Less(i, j int) bool { return s[i].job.At.Before(s[j].job.At) }

func (s items) Swap(i, j int) { s[i], s[j] = s[j], s[i] }

func (s *items) Push(x any) { *s = append(*s, x.(*item)) }

func (s *items) Pop() any {
	old := *s
	it := old[len(old)-1]
	*s = old[:len(old)-1]
	return it
}
