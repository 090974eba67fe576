package device

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	good := Device{Name: "Gate 4", Site: "berlin-2", Status: Online, Tags: []string{"gate"}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Device){
		"no_name":   func(d *Device) { d.Name = " " },
		"long_name": func(d *Device) { d.Name = strings.Repeat("x", 121) },
		"site":      func(d *Device) { d.Site = "Berlin" },
		"tag":       func(d *Device) { d.Tags = []string{"a b"} },
		"status":    func(d *Device) { d.Status = "broken" },
	} {
		t.Run(name, func(t *testing.T) {
			bad := good.Clone()
			spoil(&bad)
			if bad.Check() == nil {
				t.Fatalf("%+v is valid", bad)
			}
		})
	}
}

func TestNewest(t *testing.T) {
	start := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	devices := []Device{{ID: "b", Registered: start}, {ID: "c", Registered: start.Add(1)}, {ID: "a", Registered: start}}
	slices.SortFunc(devices, Newest)
	if devices[0].ID != "c" || devices[1].ID != "a" || devices[2].ID != "b" {
		t.Fatalf("%+v", devices)
	}
}
