package invoice_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.org/gridbill/invoice"
	"example.org/gridbill/money"
	"example.org/gridbill/reading"
	"example.org/gridbill/tariff"
)

// The root is not imported here: the package has to work without it.
func made(t *testing.T) *invoice.Invoice {
	t.Helper()
	readings, err := reading.Parse(strings.NewReader("M-17;2026-01-01T00:00:00Z;1000\nM-17;2026-01-02T00:00:00Z;1024\n"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := reading.Consumption(readings, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	standard, err := tariff.Lookup("standard-2026")
	if err != nil {
		t.Fatal(err)
	}
	i, err := invoice.New("2026-0117", "Bakery Kern", standard, u)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestNew(t *testing.T) {
	i := made(t)
	if i.Net != 2045*money.Cent || i.VAT != 389*money.Cent || i.Gross != 2434*money.Cent || len(i.Lines) != 2 {
		t.Fatalf("%+v", i)
	}
	if !i.Due.Equal(i.Issued.AddDate(0, 0, 14)) || i.Overdue() {
		t.Fatalf("issued %v, due %v", i.Issued, i.Due)
	}
	if _, err := invoice.New("", "Bakery Kern", i.Tariff, i.Usage); err == nil {
		t.Fatal("made an invoice without a number")
	}
}

func TestRender(t *testing.T) {
	var out strings.Builder
	if err := made(t).Render(&out); err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{"for Bakery Kern\n", "24.000 kWh, tariff standard-2026\n", "VAT 19%", "24.34", "1.000 kWh in an hour."} {
		if !strings.Contains(out.String(), wanted) {
			t.Errorf("%q is missing in\n%s", wanted, out.String())
		}
	}
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(made(t))
	if err != nil {
		t.Fatal(err)
	}
	var read invoice.Invoice
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if read.Tariff.Name != "standard-2026" || read.Usage.WattHours() != 24_000 || read.Gross != 2434*money.Cent {
		t.Fatalf("%+v", read)
	}
	again, err := json.Marshal(&read)
	if err != nil || string(again) != string(text) {
		t.Fatalf("%s, %v\nwanted %s", again, err, text)
	}
}
