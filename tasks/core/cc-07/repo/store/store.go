// Package store keeps the inventory.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"example.org/fleet/device"
)

// Errors of a store.
var (
	ErrNotFound = errors.New("store: no such device")
	ErrExists   = errors.New("store: the device exists already")
)

// Store keeps devices in memory. With a file, what changes is written there too.
type Store struct {
	mu      sync.RWMutex
	devices map[string]device.Device
	file    string
}

// New makes an empty store without a file.
func New() *Store { return &Store{devices: map[string]device.Device{}} }

// Open makes a store of a file, which need not be there yet.
func Open(file string) (*Store, error) {
	s := New()
	s.file = file
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	var devices []device.Device
	if err := json.Unmarshal(text, &devices); err != nil {
		return nil, fmt.Errorf("open the store: %s: %w", file, err)
	}
	for _, d := range devices {
		s.devices[d.ID] = d
	}
	return s, nil
}

// Add registers a device.
func (s *Store) Add(_ context.Context, d device.Device) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.devices[d.ID]; exists {
		return ErrExists
	}
	s.devices[d.ID] = d.Clone()
	return s.write()
}

// Get finds a device.
func (s *Store) Get(_ context.Context, id string) (device.Device, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d, exists := s.devices[id]
	if !exists {
		return device.Device{}, ErrNotFound
	}
	return d.Clone(), nil
}

// Change lets a function change a device. If the function fails, nothing changes.
func (s *Store) Change(_ context.Context, id string, change func(*device.Device) error) (device.Device, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, exists := s.devices[id]
	if !exists {
		return device.Device{}, ErrNotFound
	}
	d = d.Clone()
	if err := change(&d); err != nil {
		return device.Device{}, err
	}
	s.devices[id] = d.Clone()
	return d, s.write()
}

// Remove takes a device out.
func (s *Store) Remove(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.devices[id]; !exists {
		return ErrNotFound
	}
	delete(s.devices, id)
	return s.write()
}

// List finds all devices that a filter matches, in the order of device.Newest.
func (s *Store) List(_ context.Context, filter device.Filter) ([]device.Device, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []device.Device{}
	for _, d := range s.devices {
		if filter.Matches(d) {
			found = append(found, d.Clone())
		}
	}
	slices.SortFunc(found, device.Newest)
	return found, nil
}

// write replaces the file as a whole.
func (s *Store) write() error {
	if s.file == "" {
		return nil
	}
	devices := make([]device.Device, 0, len(s.devices))
	for _, d := range s.devices {
		devices = append(devices, d)
	}
	slices.SortFunc(devices, device.Newest)
	text, err := json.MarshalIndent(devices, "", "  ")
	if err != nil {
		return fmt.Errorf("write the store: %w", err)
	}
	fresh, err := os.CreateTemp(filepath.Dir(s.file), ".fleet-*")
	if err != nil {
		return fmt.Errorf("write the store: %w", err)
	}
	defer os.Remove(fresh.Name())
	if _, err := fresh.Write(text); err != nil {
		fresh.Close()
		return fmt.Errorf("write the store: %w", err)
	}
	if err := fresh.Close(); err != nil {
		return fmt.Errorf("write the store: %w", err)
	}
	if err := os.Rename(fresh.Name(), s.file); err != nil {
		return fmt.Errorf("write the store: %w", err)
	}
	return nil
}
