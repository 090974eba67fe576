// Package api is the HTTP service of the inventory.
package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"example.org/fleet/device"
	"example.org/fleet/store"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

const maxBody = 64 << 10

// Server answers requests from a store.
type Server struct {
	// Store keeps the devices.
	Store *store.Store
	// Now is the clock; time.Now.
	Now func() time.Time
	// NewID makes ids of devices; random UUIDs.
	NewID func() string
}

// Handler is the service.
func (s *Server) Handler() http.Handler {
	r := chi.NewRouter()
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "not_found", "there is nothing at "+r.URL.Path)
	})
	r.Route("/v1/devices", func(r chi.Router) {
		r.Get("/", s.list)
		r.Post("/", s.register)
		r.Get("/{id}", s.get)
		r.Patch("/{id}", s.change)
		r.Delete("/{id}", s.remove)
	})
	return r
}

// List is the answer to a request for devices.
type List struct {
	Devices []device.Device `json:"devices"`
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	filter, err := parseFilter(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_parameter", err.Error())
		return
	}
	devices, err := s.Store.List(r.Context(), filter)
	if err != nil {
		fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, List{Devices: devices})
}

func parseFilter(r *http.Request) (device.Filter, error) {
	var filter device.Filter
	for name, values := range r.URL.Query() {
		if len(values) > 1 {
			return filter, fmt.Errorf("%s is given more than once", name)
		}
		switch value := values[0]; name {
		case "site":
			filter.Site = value
		case "tag":
			filter.Tag = value
		case "status":
			status, err := device.ParseStatus(value)
			if err != nil {
				return filter, err
			}
			filter.Status = status
		default:
			return filter, fmt.Errorf("there is no parameter %q", name)
		}
	}
	return filter, nil
}

// Registration is what a new device comes with.
type Registration struct {
	Name  string   `json:"name"`
	Site  string   `json:"site"`
	Model string   `json:"model"`
	Tags  []string `json:"tags"`
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var wanted Registration
	if !read(w, r, &wanted) {
		return
	}
	now := s.now()
	d := device.Device{
		ID: s.newID(), Name: wanted.Name, Site: wanted.Site, Model: wanted.Model, Tags: wanted.Tags,
		Status: device.Unknown, Registered: now, Changed: now,
	}.Clone()
	if err := d.Check(); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_body", err.Error())
		return
	}
	if err := s.Store.Add(r.Context(), d); err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("Location", "/v1/devices/"+d.ID)
	answer(w, http.StatusCreated, d)
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	d, err := s.Store.Get(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, d)
}

// Change is what may be changed of a device. Fields that are nil stay.
type Change struct {
	Name   *string        `json:"name,omitempty"`
	Site   *string        `json:"site,omitempty"`
	Status *device.Status `json:"status,omitempty"`
	Tags   *[]string      `json:"tags,omitempty"`
}

var errInvalid = errors.New("invalid")

func (s *Server) change(w http.ResponseWriter, r *http.Request) {
	var wanted Change
	if !read(w, r, &wanted) {
		return
	}
	d, err := s.Store.Change(r.Context(), chi.URLParam(r, "id"), func(d *device.Device) error {
		if wanted.Name != nil {
			d.Name = *wanted.Name
		}
		if wanted.Site != nil {
			d.Site = *wanted.Site
		}
		if wanted.Status != nil {
			d.Status = *wanted.Status
		}
		if wanted.Tags != nil {
			d.Tags = *wanted.Tags
		}
		d.Changed = s.now()
		if err := d.Check(); err != nil {
			return fmt.Errorf("%w: %w", errInvalid, err)
		}
		return nil
	})
	if err != nil {
		fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, d)
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request) {
	if err := s.Store.Remove(r.Context(), chi.URLParam(r, "id")); err != nil {
		fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now().UTC()
}

func (s *Server) newID() string {
	if s.NewID != nil {
		return s.NewID()
	}
	return uuid.NewString()
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_body", err.Error())
		return false
	}
	return true
}

// Error is the body of every answer that is an error.
type Error struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		refuse(w, http.StatusNotFound, "not_found", "there is no such device")
	case errors.Is(err, errInvalid):
		refuse(w, http.StatusBadRequest, "invalid_body", err.Error())
	default:
		slog.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
		refuse(w, http.StatusInternalServerError, "internal", "the inventory cannot be reached")
	}
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	var body Error
	body.Error.Code, body.Error.Message = code, message
	answer(w, status, body)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
