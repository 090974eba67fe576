// Package compat_test compiles if the parts are what the module's root exports.
package compat_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"example.org/gridbill"
	"example.org/gridbill/invoice"
	"example.org/gridbill/money"
	"example.org/gridbill/reading"
	"example.org/gridbill/tariff"
)

// The types are the same.
var (
	_ = func(v *gridbill.Amount) *money.Amount { return v }
	_ = func(v *gridbill.Reading) *reading.Reading { return v }
	_ = func(v *gridbill.Usage) *reading.Usage { return v }
	_ = func(v *gridbill.ParseError) *reading.ParseError { return v }
	_ = func(v *gridbill.Tariff) *tariff.Tariff { return v }
	_ = func(v *gridbill.Tier) *tariff.Tier { return v }
	_ = func(v *gridbill.Window) *tariff.Window { return v }
	_ = func(v *gridbill.Line) *tariff.Line { return v }
	_ = func(v *gridbill.Invoice) *invoice.Invoice { return v }
)

// The functions of the root have kept their signatures.
var (
	_ func(string) (gridbill.Amount, error)                                                      = gridbill.ParseAmount
	_ func(io.Reader) ([]gridbill.Reading, error)                                                = gridbill.ParseReadings
	_ func([]gridbill.Reading, time.Time, time.Time) (gridbill.Usage, error)                     = gridbill.Consumption
	_ func(*gridbill.Tariff) error                                                               = gridbill.RegisterTariff
	_ func(string) (*gridbill.Tariff, error)                                                     = gridbill.LookupTariff
	_ func() []string                                                                            = gridbill.TariffNames
	_ func(string, string, *gridbill.Tariff, gridbill.Usage) (*gridbill.Invoice, error)          = gridbill.NewInvoice
	_ *func() time.Time                                                                          = &gridbill.Now
	_ *int                                                                                       = &gridbill.DefaultVAT
	_ *int                                                                                       = &gridbill.PaymentDays
	_ func(string) (money.Amount, error)                                                         = money.Parse
	_ func(io.Reader) ([]reading.Reading, error)                                                 = reading.Parse
	_ func([]reading.Reading, time.Time, time.Time) (reading.Usage, error)                       = reading.Consumption
	_ func(*tariff.Tariff) error                                                                 = tariff.Register
	_ func(string) (*tariff.Tariff, error)                                                       = tariff.Lookup
	_ func() []string                                                                            = tariff.Names
	_ func(number, customer string, t *tariff.Tariff, u reading.Usage) (*invoice.Invoice, error) = invoice.New
)

// The units are constants.
const (
	_ gridbill.Amount = 2 * gridbill.Cent
	_ money.Amount    = money.Euro - 100*gridbill.Cent
)

func TestErrorsAreTheSame(t *testing.T) {
	if !errors.Is(gridbill.ErrNoReadings, reading.ErrNoReadings) || !errors.Is(gridbill.ErrBackwards, reading.ErrBackwards) ||
		!errors.Is(gridbill.ErrUnknownTariff, tariff.ErrUnknown) {
		t.Fatal("an error of the root is none of its part")
	}
	if _, err := tariff.Lookup("none"); !errors.Is(err, gridbill.ErrUnknownTariff) {
		t.Fatal(err)
	}
}

func TestThereIsOneListOfTariffs(t *testing.T) {
	own := &tariff.Tariff{Name: "own-2026", Tiers: []tariff.Tier{{PerKWh: 100_000}}}
	if err := tariff.Register(own); err != nil {
		t.Fatal(err)
	}
	if found, err := gridbill.LookupTariff("own-2026"); err != nil || found != own {
		t.Fatalf("%v, %v", found, err)
	}
}

func TestUnits(t *testing.T) {
	if gridbill.Euro != money.Euro || gridbill.Cent != money.Cent || int64(gridbill.Euro) != 1_000_000 {
		t.Fatal(gridbill.Euro)
	}
}
