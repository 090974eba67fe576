package deliver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/courier/queue"
)

func TestDeliver(t *testing.T) {
	var got *http.Request
	var body []byte
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer endpoint.Close()
	poster := Poster{Secret: []byte("s3cret"), Now: func() time.Time { return time.Unix(1_780_000_000, 0) }}
	job := queue.Job{ID: "job-1", URL: endpoint.URL, Event: "order.paid", Payload: []byte(`{"order":4711}`), Attempt: 2}
	if err := poster.Deliver(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if string(body) != `{"order":4711}` {
		t.Errorf("posted %s", body)
	}
	for name, wanted := range map[string]string{
		"Courier-Id": "job-1", "Courier-Event": "order.paid", "Courier-Attempt": "2", "Courier-Timestamp": "1780000000",
		"Courier-Signature": "v1=" + Sign([]byte("s3cret"), "1780000000", body),
	} {
		if found := got.Header.Get(name); found != wanted {
			t.Errorf("%s is %q, wanted %q", name, found, wanted)
		}
	}
}

func TestAnswersThatAreErrors(t *testing.T) {
	endpoint := httptest.NewServer(http.NotFoundHandler())
	defer endpoint.Close()
	err := (&Poster{}).Deliver(t.Context(), queue.Job{URL: endpoint.URL})
	if err == nil || !strings.Contains(err.Error(), "404 Not Found") {
		t.Fatalf("error %v", err)
	}
}
