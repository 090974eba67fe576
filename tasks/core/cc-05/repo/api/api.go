// Package api takes webhooks in over HTTP.
package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"example.org/courier/queue"
	"github.com/go-chi/chi/v5"
)

const maxBody = 256 << 10

// New serves a queue.
func New(q *queue.Queue) http.Handler {
	r := chi.NewRouter()
	r.Post("/v1/deliveries", func(w http.ResponseWriter, r *http.Request) { enqueue(w, r, q) })
	r.Get("/v1/deliveries/{id}", func(w http.ResponseWriter, r *http.Request) {
		job, err := q.Get(r.Context(), chi.URLParam(r, "id"))
		if err != nil {
			fail(w, err)
			return
		}
		answer(w, http.StatusOK, job)
	})
	r.Delete("/v1/deliveries/{id}", func(w http.ResponseWriter, r *http.Request) {
		if err := q.Cancel(r.Context(), chi.URLParam(r, "id")); err != nil {
			fail(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	r.Get("/v1/stats", func(w http.ResponseWriter, r *http.Request) {
		counts, err := q.Counts(r.Context())
		if err != nil {
			fail(w, err)
			return
		}
		answer(w, http.StatusOK, counts)
	})
	return r
}

type delivery struct {
	URL     string          `json:"url"`
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
}

func enqueue(w http.ResponseWriter, r *http.Request, q *queue.Queue) {
	var wanted delivery
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&wanted); err != nil {
		refuse(w, http.StatusBadRequest, "the body is not a delivery: "+err.Error())
		return
	}
	target, err := url.Parse(wanted.URL)
	if err != nil || target.Host == "" || (target.Scheme != "https" && target.Scheme != "http") {
		refuse(w, http.StatusUnprocessableEntity, "url is not an absolute http or https address")
		return
	}
	if wanted.Event == "" {
		refuse(w, http.StatusUnprocessableEntity, "event is missing")
		return
	}
	job, err := q.Enqueue(r.Context(), wanted.URL, wanted.Event, wanted.Payload)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Location", "/v1/deliveries/"+job.ID)
	answer(w, http.StatusAccepted, job)
}

func fail(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, queue.ErrNotFound):
		refuse(w, http.StatusNotFound, "there is no such delivery")
	case errors.Is(err, queue.ErrNotQueued):
		refuse(w, http.StatusConflict, "the delivery is not waiting any more")
	default:
		refuse(w, http.StatusInternalServerError, "the store failed")
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
