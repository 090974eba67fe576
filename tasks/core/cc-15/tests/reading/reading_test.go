package reading_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.org/gridbill/money"
	"example.org/gridbill/reading"
	"example.org/gridbill/tariff"
)

func at(hour int) time.Time { return time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC) }

const lines = "M-17;2026-01-01T00:00:00Z;1000\nM-17;2026-01-01T10:00:00Z;1001\nM-17;2026-01-02T00:00:00Z;1029\n"

func parse(t *testing.T, text string) []reading.Reading {
	t.Helper()
	readings, err := reading.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return readings
}

func TestParse(t *testing.T) {
	if readings := parse(t, lines); len(readings) != 3 || readings[1] != (reading.Reading{Meter: "M-17", At: at(10), WattHours: 1_001_000}) {
		t.Fatalf("%+v", readings)
	}
	_, err := reading.Parse(strings.NewReader(lines + "M-17;now;1\n"))
	var wrong *reading.ParseError
	if !errors.As(err, &wrong) || wrong.Line != 4 || !strings.Contains(wrong.Error(), "line 4: ") {
		t.Fatalf("%v", err)
	}
}

func TestConsumption(t *testing.T) {
	u, err := reading.Consumption(parse(t, lines), at(0), at(24))
	if err != nil || u.WattHours() != 29_000 || u.Meter != "M-17" || !u.From.Equal(at(0)) || !u.To.Equal(at(24)) {
		t.Fatalf("%+v, %v", u, err)
	}
	if begin, energy := u.Peak(); !begin.Equal(at(10)) || energy != 2000 {
		t.Fatalf("peak %v %d", begin, energy)
	}
	if _, err := reading.Consumption(parse(t, lines), at(0), at(25)); !errors.Is(err, reading.ErrNoReadings) {
		t.Fatal(err)
	}
	backwards := parse(t, lines)
	backwards[1].WattHours = 1
	if _, err := reading.Consumption(backwards, at(0), at(24)); !errors.Is(err, reading.ErrBackwards) {
		t.Fatal(err)
	}
	thirds := parse(t, "A;2026-01-01T00:00:00Z;0\nA;2026-01-01T03:00:00Z;0.100\n")
	for hour, wanted := range []int64{33, 34, 33} {
		if u, err := reading.Consumption(thirds, at(hour), at(hour+1)); err != nil || u.WattHours() != wanted {
			t.Fatalf("hour %d: %d, %v", hour, u.WattHours(), err)
		}
	}
}

func TestCost(t *testing.T) {
	u, err := reading.Consumption(parse(t, lines), at(0), at(24))
	if err != nil {
		t.Fatal(err)
	}
	flat := &tariff.Tariff{Name: "flat", Monthly: 10 * money.Euro, Tiers: []tariff.Tier{{PerKWh: 300_000}}}
	if found := u.Cost(flat); found != 18*money.Euro+70*money.Cent {
		t.Fatalf("costs %s", found)
	}
}
