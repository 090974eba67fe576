package parcel

import (
	"errors"
	"testing"
	"time"
)

func TestBook(t *testing.T) {
	b := NewBook()
	if err := b.Announce(t.Context(), "JD0146", "04109"); err != nil {
		t.Fatal(err)
	}
	if err := b.Announce(t.Context(), "JD0146", "04109"); !errors.Is(err, ErrAnnounced) {
		t.Fatalf("announced twice: %v", err)
	}
	p, changed, err := b.Find(t.Context(), "JD0146")
	if err != nil || len(p.Scans) != 0 || p.Delivered() {
		t.Fatalf("%+v, %v", p, err)
	}
	scan := Scan{At: time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC), Place: "Leipzig", Kind: Delivered}
	if err := b.Add(t.Context(), "JD0146", scan); err != nil {
		t.Fatal(err)
	}
	<-changed
	if p, _, _ := b.Find(t.Context(), "JD0146"); len(p.Scans) != 1 || p.Scans[0] != scan || !p.Delivered() {
		t.Fatalf("%+v", p)
	}
	if err := b.Add(t.Context(), "JD0146", scan); !errors.Is(err, ErrDelivered) {
		t.Fatalf("scanned after it was delivered: %v", err)
	}
	if err := b.Add(t.Context(), "JD0147", scan); !errors.Is(err, ErrNotFound) {
		t.Fatalf("scanned without being announced: %v", err)
	}
}
