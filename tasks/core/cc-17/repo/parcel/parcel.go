// Package parcel knows parcels and where they were scanned.
package parcel

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Kind says what a scan stands for.
type Kind string

// The kinds of scans.
const (
	Accepted  Kind = "accepted"
	Sorted    Kind = "sorted"
	Loaded    Kind = "loaded"
	Missed    Kind = "missed"
	Delivered Kind = "delivered"
)

// Valid says whether it is one of the kinds.
func (k Kind) Valid() bool {
	return slices.Contains([]Kind{Accepted, Sorted, Loaded, Missed, Delivered}, k)
}

// Scan is a place that a parcel came by.
type Scan struct {
	At    time.Time `json:"at"`
	Place string    `json:"place"`
	Kind  Kind      `json:"kind"`
}

// Parcel is something on its way.
type Parcel struct {
	Number   string `json:"number"`
	Postcode string `json:"-"`
	Scans    []Scan `json:"scans"`
}

// Delivered says whether the parcel has arrived.
func (p Parcel) Delivered() bool {
	return len(p.Scans) > 0 && p.Scans[len(p.Scans)-1].Kind == Delivered
}

// Errors of a book.
var (
	ErrNotFound  = errors.New("there is no such parcel")
	ErrAnnounced = errors.New("the parcel was announced already")
	ErrDelivered = errors.New("the parcel was delivered already")
)

// Book keeps parcels.
type Book struct {
	mu      sync.Mutex
	parcels map[string]*entry
}

type entry struct {
	parcel  Parcel
	changed chan struct{} // closed by the next scan
}

// NewBook makes an empty book.
func NewBook() *Book { return &Book{parcels: map[string]*entry{}} }

// Announce adds a parcel without scans.
func (b *Book) Announce(_ context.Context, number, postcode string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.parcels[number]; known {
		return ErrAnnounced
	}
	p := Parcel{Number: number, Postcode: postcode, Scans: []Scan{}}
	b.parcels[number] = &entry{parcel: p, changed: make(chan struct{})}
	return nil
}

// Add adds a scan to a parcel.
func (b *Book) Add(_ context.Context, number string, scan Scan) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, known := b.parcels[number]
	if !known {
		return ErrNotFound
	}
	if e.parcel.Delivered() {
		return ErrDelivered
	}
	e.parcel.Scans = append(e.parcel.Scans, scan)
	close(e.changed)
	e.changed = make(chan struct{})
	return nil
}

// Find looks for a parcel. The channel is closed when it gets its next scan.
func (b *Book) Find(_ context.Context, number string) (Parcel, <-chan struct{}, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, known := b.parcels[number]
	if !known {
		return Parcel{}, nil, ErrNotFound
	}
	p := e.parcel
	p.Scans = slices.Clone(p.Scans)
	return p, e.changed, nil
}
