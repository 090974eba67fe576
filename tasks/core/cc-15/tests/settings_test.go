package gridbill_test

import (
	"testing"
	"time"

	"example.org/gridbill"
)

func TestInvoicesBecomeOverdueByTheClock(t *testing.T) {
	now := day(5)
	set(t, &gridbill.Now, func() time.Time { return now })
	invoice, err := gridbill.NewInvoice("1", "Kern", lookup(t, "standard-2026"), usage(t, day(1), day(2)))
	if err != nil || !invoice.Issued.Equal(day(5)) || !invoice.Due.Equal(day(19)) {
		t.Fatalf("%+v, %v", invoice, err)
	}
	for at, wanted := range map[int]bool{5: false, 19: false, 20: true, 6: false} {
		now = day(at)
		if found := invoice.Overdue(); found != wanted {
			t.Errorf("overdue on day %d: %v", at, found)
		}
	}
	gridbill.Now = func() time.Time { return day(25) }
	if !invoice.Overdue() {
		t.Error("not overdue by another clock")
	}
}

func TestSettingsMayChangeAgain(t *testing.T) {
	tariff := &gridbill.Tariff{Name: "flat", Monthly: 100 * gridbill.Euro, Tiers: []gridbill.Tier{{}}}
	u := usage(t, day(1), day(2))
	set(t, &gridbill.Now, func() time.Time { return day(20) })
	set(t, &gridbill.DefaultVAT, gridbill.DefaultVAT)
	set(t, &gridbill.PaymentDays, gridbill.PaymentDays)
	for i, vat := range []int{1900, 700, 2500} {
		gridbill.DefaultVAT, gridbill.PaymentDays = vat, 10+i
		invoice, err := gridbill.NewInvoice("1", "Kern", tariff, u)
		if err != nil || invoice.VAT != gridbill.Amount(vat)*gridbill.Cent || !invoice.Due.Equal(day(30+i)) {
			t.Fatalf("with %d: %+v, %v", vat, invoice, err)
		}
	}
}

func TestTariffsOfProgramsAreKnownToInvoices(t *testing.T) {
	own := &gridbill.Tariff{Name: "own-2026", Monthly: gridbill.Euro, Tiers: []gridbill.Tier{{PerKWh: 100_000}}}
	if err := gridbill.RegisterTariff(own); err != nil {
		t.Fatal(err)
	}
	made, err := gridbill.NewInvoice("1", "Kern", own, usage(t, day(1), day(2)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := made.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var read gridbill.Invoice
	if err := read.UnmarshalJSON(text); err != nil || read.Tariff != own || read.Usage.Cost(read.Tariff) != made.Net {
		t.Fatalf("%+v, %v", read, err)
	}
}

func TestUsageOfAnInvoiceSurvivesJSON(t *testing.T) {
	made, err := gridbill.NewInvoice("1", "Kern", lookup(t, "night-2026"), usage(t, day(1), day(3)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := made.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var read gridbill.Invoice
	if err := read.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	begin, most := made.Usage.Peak()
	if at, energy := read.Usage.Peak(); !at.Equal(begin) || energy != most || read.Usage.WattHours() != made.Usage.WattHours() {
		t.Fatalf("peak %v %d, usage %d", at, energy, read.Usage.WattHours())
	}
	if err := read.UnmarshalJSON([]byte(`{"number":"1","tariff":"night-2026","from":"2026-01-01T00:00:00Z","to":"2026-01-01T05:00:00Z","hours":[1]}`)); err == nil {
		t.Fatal("read an invoice with too few hours")
	}
}
