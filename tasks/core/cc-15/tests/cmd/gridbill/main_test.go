package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	in := "M-17;2026-01-01T00:00:00Z;1000\nM-17;2026-01-02T00:00:00Z;1024\n"
	arguments := []string{"-number", "7", "-customer", "Kern", "-from", "2026-01-01T00:00:00Z", "-to", "2026-01-02T00:00:00Z"}
	var out strings.Builder
	if err := run(arguments, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "for Kern") || !strings.Contains(out.String(), "24.000 kWh") {
		t.Fatalf("found:\n%s", out.String())
	}
	out.Reset()
	if err := run(append(arguments, "-json", "-tariff", "night-2026"), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"tariff":"night-2026"`) {
		t.Fatalf("found:\n%s", out.String())
	}
	if err := run(append(arguments, "-tariff", "none"), strings.NewReader(in), &out); err == nil {
		t.Fatal("there is a tariff called none")
	}
}
