package tariff_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/gridbill/money"
	"example.org/gridbill/reading"
	"example.org/gridbill/tariff"
)

func usage(t *testing.T) reading.Usage {
	t.Helper()
	readings, err := reading.Parse(strings.NewReader("M-17;2026-01-31T00:00:00Z;1000\nM-17;2026-02-02T00:00:00Z;1048\n"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := reading.Consumption(readings, time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPrice(t *testing.T) {
	for name, c := range map[string]struct {
		tariff tariff.Tariff
		wanted []tariff.Line
	}{
		"flat": {
			tariff.Tariff{Tiers: []tariff.Tier{{PerKWh: 312_345}}},
			[]tariff.Line{{Text: "energy, 48.000 kWh at 0.312345", Amount: 1499 * money.Cent}},
		},
		"tiers": {
			tariff.Tariff{Monthly: money.Euro, Tiers: []tariff.Tier{{UpTo: 10_000, PerKWh: 300_000}, {UpTo: 40_000, PerKWh: 200_000}, {PerKWh: 100_000}}},
			[]tariff.Line{
				{Text: "1 months at 1.00", Amount: money.Euro}, {Text: "energy, 10.000 kWh at 0.30", Amount: 3 * money.Euro},
				{Text: "energy, 30.000 kWh at 0.20", Amount: 6 * money.Euro}, {Text: "energy, 8.000 kWh at 0.10", Amount: 80 * money.Cent},
			},
		},
		"windows": {
			tariff.Tariff{
				Tiers:   []tariff.Tier{{PerKWh: 300_000}},
				Windows: []tariff.Window{{Name: "night", From: 20, To: 4, PerKWh: 100_000}, {Name: "noon", From: 11, To: 13, PerKWh: 200_000}},
			},
			[]tariff.Line{
				{Text: "night, 16.000 kWh at 0.10", Amount: 160 * money.Cent}, {Text: "noon, 4.000 kWh at 0.20", Amount: 80 * money.Cent},
				{Text: "energy, 28.000 kWh at 0.30", Amount: 840 * money.Cent},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if found := c.tariff.Price(usage(t)); !slices.Equal(found, c.wanted) {
				t.Fatalf("found %v\nwanted %v", found, c.wanted)
			}
		})
	}
}

func TestTariffsOfThisPackage(t *testing.T) {
	if names := tariff.Names(); !slices.Equal(names, []string{"night-2026", "standard-2026"}) {
		t.Fatalf("%v", names)
	}
	if _, err := tariff.Lookup("none"); !errors.Is(err, tariff.ErrUnknown) {
		t.Fatal(err)
	}
	found, err := tariff.Lookup("night-2026")
	if err != nil || found.Monthly != 14*money.Euro+50*money.Cent || found.Check() != nil {
		t.Fatalf("%+v, %v", found, err)
	}
	if err := tariff.Register(&tariff.Tariff{Name: "a b", Tiers: []tariff.Tier{{}}}); err == nil {
		t.Fatal("registered a tariff with a bad name")
	}
}
