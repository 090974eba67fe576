package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"example.org/fleet/api"
	"example.org/fleet/client"
	"example.org/fleet/device"
	"example.org/fleet/store"
)

func fill(t *testing.T, devices *store.Store, count int) (ids []string) {
	t.Helper()
	for i := range count {
		d := device.Device{
			ID: fmt.Sprintf("d%03d", i), Name: "Gate", Site: []string{"berlin", "lyon"}[i%2], Status: device.Online, Tags: []string{},
			Registered: time.Date(2026, 2, 1, 9, 0, -i, 0, time.UTC),
		}
		if err := devices.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
	}
	return ids
}

func listed(t *testing.T, c *client.Client, filter device.Filter) (ids []string) {
	t.Helper()
	devices, err := c.List(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		ids = append(ids, d.ID)
	}
	return ids
}

func TestListFindsAllDevices(t *testing.T) {
	for _, count := range []int{0, 1, 50, 51, 200, 201, 450} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			c, devices := newClient(t)
			wanted := fill(t, devices, count)
			if found := listed(t, c, device.Filter{}); !slices.Equal(found, wanted) {
				t.Fatalf("found %d devices: %v", len(found), found)
			}
		})
	}
}

func TestListFindsAllDevicesOfASite(t *testing.T) {
	c, devices := newClient(t)
	var wanted []string
	for i, id := range fill(t, devices, 450) {
		if i%2 == 1 {
			wanted = append(wanted, id)
		}
	}
	if found := listed(t, c, device.Filter{Site: "lyon", Status: device.Online}); !slices.Equal(found, wanted) {
		t.Fatalf("found %d devices: %v", len(found), found)
	}
}

func TestListFailsAsAWhole(t *testing.T) {
	devices := store.New()
	fill(t, devices, 450)
	handler := (&api.Server{Store: devices}).Handler()
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests > 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := &client.Client{Server: server.URL}
	found, err := c.List(t.Context(), device.Filter{})
	if err == nil || len(found) > 0 {
		t.Fatalf("found %d devices, %v; wanted an error", len(found), err)
	}
}
