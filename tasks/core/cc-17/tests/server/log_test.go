package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/parceld/parcel"
	"example.org/parceld/server"
)

// journal is what the server has logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(text []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(text)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// requests is what was logged of requests.
func (j *journal) requests(t *testing.T) (found []map[string]any) {
	t.Helper()
	for line := range strings.Lines(j.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if record["msg"] == "request" {
			found = append(found, record)
		}
	}
	return found
}

// one is the only request that was logged.
func (j *journal) one(t *testing.T) map[string]any {
	t.Helper()
	found := j.requests(t)
	if len(found) != 1 {
		t.Fatalf("%d requests were logged:\n%s", len(found), j)
	}
	return found[0]
}

func expect(t *testing.T, record map[string]any, wanted map[string]any) {
	t.Helper()
	for name, value := range wanted {
		if fmt.Sprint(record[name]) != fmt.Sprint(value) {
			t.Errorf("%s is %v, wanted %v, in %v", name, record[name], value, record)
		}
	}
}

// slow is a book that takes its time, by the clock of the server.
type slow struct {
	server.Book
	takes time.Duration
	now   *time.Time
	fails error
}

func (b slow) Find(ctx context.Context, number string) (parcel.Parcel, <-chan struct{}, error) {
	*b.now = b.now.Add(b.takes)
	if b.fails != nil {
		return parcel.Parcel{}, nil, b.fails
	}
	return b.Book.Find(ctx, number)
}

// logging is a server with a log.
func logging(t *testing.T, change func(*slow)) (http.Handler, *journal) {
	t.Helper()
	clock, j, last := now, &journal{}, 0
	book := slow{Book: newBook(t), now: &clock}
	if change != nil {
		change(&book)
	}
	return server.New(server.Options{
		Book: book, Token: token, Now: func() time.Time { return clock },
		NewID: func() string { last++; return fmt.Sprintf("request-%d", last) },
		Log:   slog.New(slog.NewJSONHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}), j
}

func TestRequestsAreLogged(t *testing.T) {
	h, j := logging(t, func(b *slow) { b.takes = 250 * time.Millisecond })
	found := request(h, "GET", "/v1/parcels/JD0146?postcode=04109", "")
	expect(t, j.one(t), map[string]any{
		"level": "INFO", "method": "GET", "path": "/v1/parcels/JD0146", "status": 200, "bytes": found.Body.Len(), "duration_ms": 250,
		"request_id": "request-1",
	})
	if id := found.Header().Get("X-Request-ID"); id != "request-1" {
		t.Errorf("the answer has the id %q", id)
	}
}

func TestLevels(t *testing.T) {
	carrier := "Bearer " + token
	for name, c := range map[string]struct {
		method, target, body, authorization string
		wanted                              map[string]any
	}{
		"created": {"PUT", "/v1/parcels/JD0147", `{"postcode":"80331"}`, carrier, map[string]any{
			"level": "INFO", "method": "PUT", "path": "/v1/parcels/JD0147", "status": 201, "bytes": 0}},
		"bad_body":     {"PUT", "/v1/parcels/JD0147", `{`, carrier, map[string]any{"level": "WARN", "status": 400}},
		"unauthorized": {"POST", "/v1/parcels/JD0146/scans", `{}`, "", map[string]any{"level": "WARN", "status": 401}},
		"wrong_postcode": {"GET", "/v1/parcels/JD0146?postcode=1", "", "", map[string]any{
			"level": "WARN", "status": 404, "path": "/v1/parcels/JD0146"}},
		"no_route":     {"GET", "/v2", "", "", map[string]any{"level": "WARN", "status": 404, "path": "/v2"}},
		"wrong_method": {"DELETE", "/v1/parcels/JD0146", "", "", map[string]any{"level": "WARN", "status": 405, "method": "DELETE"}},
		"health":       {"GET", "/healthz", "", "", map[string]any{"level": "DEBUG", "status": 200, "bytes": 3, "path": "/healthz"}},
	} {
		t.Run(name, func(t *testing.T) {
			h, j := logging(t, nil)
			found := request(h, c.method, c.target, c.body, "Authorization", c.authorization)
			record := j.one(t)
			expect(t, record, c.wanted)
			expect(t, record, map[string]any{"bytes": found.Body.Len(), "status": found.Code, "duration_ms": 0})
		})
	}
}

func TestFailuresAreLoggedWithTheirCause(t *testing.T) {
	h, j := logging(t, func(b *slow) { b.fails = errors.New("disk is full") })
	found := request(h, "GET", "/v1/parcels/JD0146?postcode=04109", "")
	expect(t, j.one(t), map[string]any{"level": "ERROR", "status": 500, "error": "disk is full"})
	if found.Code != http.StatusInternalServerError || strings.Contains(found.Body.String(), "disk") {
		t.Errorf("answered %d %s", found.Code, found.Body)
	}
}

func TestSecretsAreNotLogged(t *testing.T) {
	h, j := logging(t, nil)
	request(h, "PUT", "/v1/parcels/JD0147", `{"postcode":"80331"}`, "Authorization", "Bearer "+token)
	request(h, "GET", "/v1/parcels/JD0147?postcode=80331", "")
	request(h, "GET", "/v1/parcels/JD0147?postcode=80332", "", "Authorization", "Bearer "+token)
	request(h, "GET", "/v1/parcels?postcode=80331", "")
	if n := len(j.requests(t)); n != 4 {
		t.Errorf("%d requests were logged", n)
	}
	for _, secret := range []string{token, "80331", "80332"} {
		if strings.Contains(j.String(), secret) {
			t.Errorf("%s was logged:\n%s", secret, j)
		}
	}
}

func TestIDsOfRequests(t *testing.T) {
	for name, c := range map[string]struct {
		sent string
		good bool
	}{
		"good": {"7c9e-A_b.1", true}, "longest": {strings.Repeat("x", 64), true}, "too_long": {strings.Repeat("x", 65), false},
		"blank": {"a b", false}, "umlaut": {"ä", false}, "quote": {`a"b`, false}, "empty": {"", false}, "new_line": {"a\nlevel=ERROR", false},
	} {
		t.Run(name, func(t *testing.T) {
			h, j := logging(t, nil)
			found := request(h, "GET", "/v1/parcels/JD0146?postcode=04109", "", "X-Request-ID", c.sent)
			wanted := "request-1"
			if c.good {
				wanted = c.sent
			}
			expect(t, j.one(t), map[string]any{"request_id": wanted})
			if id := found.Header().Get("X-Request-ID"); id != wanted {
				t.Errorf("the answer has the id %q, wanted %q", id, wanted)
			}
		})
	}
}

func TestEachRequestHasItsID(t *testing.T) {
	h, j := logging(t, nil)
	for range 3 {
		request(h, "GET", "/healthz", "")
	}
	for i, record := range j.requests(t) {
		expect(t, record, map[string]any{"request_id": fmt.Sprintf("request-%d", i+1)})
	}
	if n := len(j.requests(t)); n != 3 {
		t.Errorf("%d requests were logged", n)
	}
}

func TestStreamsAreLoggedAtTheirEnd(t *testing.T) {
	book, j := newBook(t), &journal{}
	service := httptest.NewServer(server.New(server.Options{Book: book, Log: slog.New(slog.NewJSONHandler(j, nil))}))
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
	var text bytes.Buffer
	stream := bufio.NewScanner(io.TeeReader(response.Body, &text))
	if event := next(t, stream); !strings.Contains(event, "Leipzig hub") {
		t.Fatalf("first event: %s", event)
	}
	if found := j.requests(t); len(found) > 0 {
		t.Fatalf("logged before the end: %v", found)
	}
	add("Markt 1", parcel.Delivered)
	if event := next(t, stream); !strings.Contains(event, "Markt 1") {
		t.Fatalf("second event: %s", event)
	}
	next(t, stream)
	expect(t, j.one(t), map[string]any{"level": "INFO", "status": 200, "bytes": text.Len(), "path": "/v1/parcels/JD0146/events"})
}

func TestStreamsThatAreLeftAreLogged(t *testing.T) {
	h, j := logging(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, "GET", "/v1/parcels/JD0146/events?postcode=04109", nil)
	h.ServeHTTP(httptest.NewRecorder(), r)
	expect(t, j.one(t), map[string]any{"level": "INFO", "status": 200, "bytes": 0})
}

func TestTheLogMayBeLeftOut(t *testing.T) {
	if found := request(newServer(t), "GET", "/v1/parcels/JD0146?postcode=04109", ""); found.Code != http.StatusOK {
		t.Fatalf("%d", found.Code)
	}
}
