// Package server is the HTTP service.
package server

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"example.org/parceld/parcel"
	"github.com/google/uuid"
)

const maxBody = 8 << 10

// Book is what the server needs of a book of parcels.
type Book interface {
	Announce(ctx context.Context, number, postcode string) error
	Add(ctx context.Context, number string, scan parcel.Scan) error
	Find(ctx context.Context, number string) (parcel.Parcel, <-chan struct{}, error)
}

// Options of a server.
type Options struct {
	Book Book
	// Token is what carriers show.
	Token string
	// Log is where the server logs; nothing is logged without it.
	Log *slog.Logger
	// Now is the clock; time.Now.
	Now func() time.Time
	// NewID makes ids of requests; random UUIDs.
	NewID func() string
}

type server struct{ Options }

// New makes the service.
func New(options Options) http.Handler {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.NewID == nil {
		options.NewID = uuid.NewString
	}
	s := &server{options}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.Handle("PUT /v1/parcels/{number}", s.carriers(s.announce))
	mux.Handle("POST /v1/parcels/{number}/scans", s.carriers(s.scan))
	mux.HandleFunc("GET /v1/parcels/{number}", s.show)
	mux.HandleFunc("GET /v1/parcels/{number}/events", s.follow)
	return mux
}

// carriers keeps everybody else out.
func (s *server) carriers(next http.HandlerFunc) http.Handler {
	wanted := []byte("Bearer " + s.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Token == "" || subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), wanted) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "carriers only")
			return
		}
		next(w, r)
	})
}

func (s *server) announce(w http.ResponseWriter, r *http.Request) {
	var wanted struct {
		Postcode string `json:"postcode"`
	}
	if !read(w, r, &wanted) {
		return
	}
	if wanted.Postcode == "" {
		refuse(w, http.StatusUnprocessableEntity, "the postcode is missing")
		return
	}
	if err := s.Book.Announce(r.Context(), r.PathValue("number"), wanted.Postcode); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func (s *server) scan(w http.ResponseWriter, r *http.Request) {
	var wanted struct {
		Place string      `json:"place"`
		Kind  parcel.Kind `json:"kind"`
	}
	if !read(w, r, &wanted) {
		return
	}
	if wanted.Place == "" || !wanted.Kind.Valid() {
		refuse(w, http.StatusUnprocessableEntity, "the place is missing, or there is no such kind of scan")
		return
	}
	scan := parcel.Scan{At: s.Now().UTC(), Place: wanted.Place, Kind: wanted.Kind}
	if err := s.Book.Add(r.Context(), r.PathValue("number"), scan); err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusCreated, scan)
}

func (s *server) show(w http.ResponseWriter, r *http.Request) {
	p, _, err := s.find(r)
	if err != nil {
		s.fail(w, err)
		return
	}
	answer(w, http.StatusOK, p)
}

// follow sends the scans of a parcel as they come in.
func (s *server) follow(w http.ResponseWriter, r *http.Request) {
	p, changed, err := s.find(r)
	if err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	stream := http.NewResponseController(w)
	for sent := 0; ; {
		for ; sent < len(p.Scans); sent++ {
			scan, err := json.Marshal(p.Scans[sent])
			if err != nil {
				return
			}
			fmt.Fprintf(w, "id: %d\ndata: %s\n\n", sent, scan)
		}
		if err := stream.Flush(); err != nil {
			return
		}
		if p.Delivered() {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
		if p, changed, err = s.find(r); err != nil {
			return
		}
	}
}

// find looks for the parcel of a request. With a wrong postcode it is not there.
func (s *server) find(r *http.Request) (parcel.Parcel, <-chan struct{}, error) {
	p, changed, err := s.Book.Find(r.Context(), r.PathValue("number"))
	if err != nil {
		return parcel.Parcel{}, nil, err
	}
	if p.Postcode != strings.TrimSpace(r.URL.Query().Get("postcode")) {
		return parcel.Parcel{}, nil, parcel.ErrNotFound
	}
	return p, changed, nil
}

func (s *server) fail(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, parcel.ErrNotFound):
		refuse(w, http.StatusNotFound, err.Error())
	case errors.Is(err, parcel.ErrAnnounced), errors.Is(err, parcel.ErrDelivered):
		refuse(w, http.StatusConflict, err.Error())
	default:
		refuse(w, http.StatusInternalServerError, "something is broken here")
	}
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "the body is not the JSON that is expected")
		return false
	}
	return true
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
