package store

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"example.org/fleet/device"
)

func add(t *testing.T, s *Store, id, site string) {
	t.Helper()
	d := device.Device{ID: id, Name: id, Site: site, Status: device.Online, Registered: time.Unix(int64(id[0]), 0).UTC()}
	if err := s.Add(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, s *Store, filter device.Filter) (ids string) {
	t.Helper()
	devices, err := s.List(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		ids += d.ID
	}
	return ids
}

func TestAddListRemove(t *testing.T) {
	s := New()
	add(t, s, "a", "berlin")
	add(t, s, "b", "lyon")
	add(t, s, "c", "berlin")
	if found := ids(t, s, device.Filter{}); found != "cba" {
		t.Fatalf("all: %s", found)
	}
	if found := ids(t, s, device.Filter{Site: "berlin"}); found != "ca" {
		t.Fatalf("berlin: %s", found)
	}
	if err := s.Remove(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), "c"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("removed twice: %v", err)
	}
	if err := s.Add(t.Context(), device.Device{ID: "a"}); !errors.Is(err, ErrExists) {
		t.Fatalf("added twice: %v", err)
	}
}

func TestChangeThatFailsChangesNothing(t *testing.T) {
	s := New()
	add(t, s, "a", "berlin")
	refused := errors.New("refused")
	_, err := s.Change(t.Context(), "a", func(d *device.Device) error { d.Site = "lyon"; return refused })
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if d, _ := s.Get(t.Context(), "a"); d.Site != "berlin" {
		t.Fatalf("%+v", d)
	}
}

func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.json")
	s, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, "a", "berlin")
	add(t, s, "b", "lyon")
	again, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if found := ids(t, again, device.Filter{}); found != "ba" {
		t.Fatalf("all: %s", found)
	}
}
