package server_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/parceld/parcel"
	"example.org/parceld/server"
)

const token = "s3cret-of-carriers"

var now = time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)

func newBook(t *testing.T) *parcel.Book {
	t.Helper()
	book := parcel.NewBook()
	if err := book.Announce(t.Context(), "JD0146", "04109"); err != nil {
		t.Fatal(err)
	}
	return book
}

func newServer(t *testing.T) http.Handler {
	return server.New(server.Options{Book: newBook(t), Token: token, Now: func() time.Time { return now }})
}

func request(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, r)
	return recorder
}

func TestCarriers(t *testing.T) {
	h := newServer(t)
	carrier := []string{"Authorization", "Bearer " + token}
	for _, c := range []struct {
		method, target, body string
		status               int
	}{
		{"PUT", "/v1/parcels/JD0147", `{"postcode":"80331"}`, http.StatusCreated},
		{"PUT", "/v1/parcels/JD0147", `{"postcode":"80331"}`, http.StatusConflict},
		{"PUT", "/v1/parcels/JD0148", `{}`, http.StatusUnprocessableEntity},
		{"PUT", "/v1/parcels/JD0148", `[`, http.StatusBadRequest},
		{"POST", "/v1/parcels/JD0147/scans", `{"place":"Leipzig hub","kind":"sorted"}`, http.StatusCreated},
		{"POST", "/v1/parcels/JD0147/scans", `{"place":"Leipzig hub","kind":"lost"}`, http.StatusUnprocessableEntity},
		{"POST", "/v1/parcels/JD0149/scans", `{"place":"Leipzig hub","kind":"sorted"}`, http.StatusNotFound},
	} {
		if found := request(h, c.method, c.target, c.body, carrier...); found.Code != c.status {
			t.Errorf("%s %s %s: %d %s, wanted %d", c.method, c.target, c.body, found.Code, found.Body, c.status)
		}
		if found := request(h, c.method, c.target, c.body); found.Code != http.StatusUnauthorized {
			t.Errorf("%s %s without a token: %d", c.method, c.target, found.Code)
		}
	}
}

func TestShow(t *testing.T) {
	h := newServer(t)
	request(h, "POST", "/v1/parcels/JD0146/scans", `{"place":"Leipzig hub","kind":"sorted"}`, "Authorization", "Bearer "+token)
	wanted := `{"number":"JD0146","scans":[{"at":"2026-04-01T09:00:00Z","place":"Leipzig hub","kind":"sorted"}]}` + "\n"
	if found := request(h, "GET", "/v1/parcels/JD0146?postcode=04109", ""); found.Code != http.StatusOK || found.Body.String() != wanted {
		t.Fatalf("%d %s", found.Code, found.Body)
	}
	for target, status := range map[string]int{
		"/v1/parcels/JD0146?postcode=04110": http.StatusNotFound, "/v1/parcels/JD0146": http.StatusNotFound, "/v1/parcels": http.StatusNotFound,
		"/healthz": http.StatusOK,
	} {
		if found := request(h, "GET", target, ""); found.Code != status {
			t.Errorf("%s: %d, wanted %d", target, found.Code, status)
		}
	}
}

// patient gives up on a stream that never moves.
var patient = http.Client{Timeout: time.Minute}

// next reads a stream up to the next event.
func next(t *testing.T, stream *bufio.Scanner) string {
	t.Helper()
	for stream.Scan() {
		if data, is := strings.CutPrefix(stream.Text(), "data: "); is {
			return data
		}
	}
	return ""
}

func TestFollow(t *testing.T) {
	book := newBook(t)
	service := httptest.NewServer(server.New(server.Options{Book: book}))
	defer service.Close()
	add := func(place string, kind parcel.Kind) {
		if err := book.Add(context.Background(), "JD0146", parcel.Scan{At: now, Place: place, Kind: kind}); err != nil {
			t.Fatal(err)
		}
	}
	add("Leipzig hub", parcel.Sorted)
	response, err := patient.Get(service.URL + "/v1/parcels/JD0146/events?postcode=04109")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	stream := bufio.NewScanner(response.Body)
	if event := next(t, stream); !strings.Contains(event, "Leipzig hub") {
		t.Fatalf("first event: %s", event)
	}
	// The stream goes on before the parcel is delivered: the first event has come without the second.
	add("Markt 1", parcel.Delivered)
	if event := next(t, stream); !strings.Contains(event, "Markt 1") {
		t.Fatalf("second event: %s", event)
	}
	if event := next(t, stream); event != "" {
		t.Fatalf("third event: %s", event)
	}
}
