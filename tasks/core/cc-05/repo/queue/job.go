package queue

import (
	"encoding/json"
	"time"
)

// State says where a job is in its life.
type State string

// The states of a job.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"
	Dead      State = "dead"
	Cancelled State = "cancelled"
)

// Final says whether a job in this state never changes again.
func (s State) Final() bool { return s == Done || s == Dead || s == Cancelled }

// Job is one webhook on its way to an endpoint.
type Job struct {
	ID      string          `json:"id"`
	URL     string          `json:"url"`
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload,omitempty"`

	State State `json:"state"`
	// Attempt counts how often the job was claimed.
	Attempt int `json:"attempt"`
	// DueAt is when the job may be claimed; for a running job, when its lease runs out.
	DueAt time.Time `json:"due_at"`
	// Worker is the name of the worker that claimed the job last.
	Worker    string    `json:"worker,omitempty"`
	LastError string    `json:"last_error,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`

	// Version belongs to the store. It changes with every write.
	Version int64 `json:"version"`
}

// Clone is a copy that shares nothing with the job.
func (j Job) Clone() Job {
	if j.Payload != nil {
		j.Payload = append(json.RawMessage(nil), j.Payload...)
	}
	return j
}
