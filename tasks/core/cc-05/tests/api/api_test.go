package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/courier/queue"
	"example.org/courier/store/memory"
)

func request(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader(body)))
	return recorder
}

func TestDeliveries(t *testing.T) {
	h := New(queue.New(&memory.Store{}, queue.Options{}))
	made := request(h, "POST", "/v1/deliveries", `{"url":"https://shop.example/hooks","event":"order.paid","payload":{"order":1}}`)
	if made.Code != http.StatusAccepted {
		t.Fatalf("%d %s", made.Code, made.Body)
	}
	at := made.Header().Get("Location")
	var job queue.Job
	read := request(h, "GET", at, "")
	if err := json.Unmarshal(read.Body.Bytes(), &job); err != nil || job.State != queue.Queued || string(job.Payload) != `{"order":1}` {
		t.Fatalf("%d %s", read.Code, read.Body)
	}
	if code := request(h, "DELETE", at, "").Code; code != http.StatusNoContent {
		t.Fatalf("cancel: %d", code)
	}
	if code := request(h, "DELETE", at, "").Code; code != http.StatusConflict {
		t.Fatalf("cancel again: %d", code)
	}
	if stats := request(h, "GET", "/v1/stats", "").Body.String(); strings.TrimSpace(stats) != `{"cancelled":1}` {
		t.Fatalf("stats: %s", stats)
	}
}

func TestRefusals(t *testing.T) {
	h := New(queue.New(&memory.Store{}, queue.Options{}))
	for body, wanted := range map[string]int{
		`{`:                              http.StatusBadRequest,
		`{"url":"/hooks","event":"x"}`:   http.StatusUnprocessableEntity,
		`{"url":"https://shop.example"}`: http.StatusUnprocessableEntity,
	} {
		if code := request(h, "POST", "/v1/deliveries", body).Code; code != wanted {
			t.Errorf("%s: %d, wanted %d", body, code, wanted)
		}
	}
	if code := request(h, "GET", "/v1/deliveries/none", "").Code; code != http.StatusNotFound {
		t.Errorf("a delivery that is not there: %d", code)
	}
}
