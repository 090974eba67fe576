package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/fleet/api"
	"example.org/fleet/device"
	"example.org/fleet/store"
)

func TestListPrintsAllDevices(t *testing.T) {
	devices := store.New()
	for i := range 130 {
		d := device.Device{
			ID: fmt.Sprintf("d%03d", i), Name: "Gate", Site: "berlin", Status: device.Online,
			Registered: time.Date(2026, 2, 1, 9, 0, -i, 0, time.UTC),
		}
		if err := devices.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer((&api.Server{Store: devices}).Handler())
	defer server.Close()
	var out strings.Builder
	if err := run(t.Context(), []string{"-server", server.URL, "list", "-site", "berlin"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 131 || !strings.HasPrefix(lines[130], "d129 ") {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
}
