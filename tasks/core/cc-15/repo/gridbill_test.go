package gridbill_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/gridbill"
)

var berlin = time.FixedZone("CET", 3600)

func day(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, berlin) }

const readings = `# meter;time;kWh
M-17;2026-01-01T00:00:00+01:00;1000
M-17;2026-01-02T00:00:00+01:00;1012.000
M-17;2026-01-03T06:00:00+01:00;1042
`

func usage(t *testing.T, from, to time.Time) gridbill.Usage {
	t.Helper()
	parsed, err := gridbill.ParseReadings(strings.NewReader(readings))
	if err != nil {
		t.Fatal(err)
	}
	u, err := gridbill.Consumption(parsed, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func lookup(t *testing.T, name string) *gridbill.Tariff {
	t.Helper()
	tariff, err := gridbill.LookupTariff(name)
	if err != nil {
		t.Fatal(err)
	}
	return tariff
}

// set changes a setting for one test.
func set[T any](t *testing.T, setting *T, value T) {
	t.Helper()
	before := *setting
	*setting = value
	t.Cleanup(func() { *setting = before })
}

func TestAmounts(t *testing.T) {
	for text, wanted := range map[string]gridbill.Amount{
		"0": 0, "12": 12 * gridbill.Euro, "0.3147": 314_700, "-1.5": -150 * gridbill.Cent, "0.000001": 1,
	} {
		if found, err := gridbill.ParseAmount(text); err != nil || found != wanted {
			t.Errorf("%s: %d, %v", text, found, err)
		}
	}
	for _, text := range []string{"", "-", ".5", "1,5", "1.2345678", "+1", "99999999999999"} {
		if found, err := gridbill.ParseAmount(text); err == nil {
			t.Errorf("%q: %d", text, found)
		}
	}
	for amount, wanted := range map[gridbill.Amount]string{0: "0.00", 314_700: "0.3147", -150 * gridbill.Cent: "-1.50", 1: "0.000001"} {
		if amount.String() != wanted {
			t.Errorf("%d: %s, wanted %s", amount, amount, wanted)
		}
	}
}

func TestRounding(t *testing.T) {
	for amount, wanted := range map[gridbill.Amount]gridbill.Amount{5_000: 0, 5_001: 10_000, 15_000: 20_000, -5_000: 0, -15_000: -20_000} {
		if found := amount.Round(); found != wanted {
			t.Errorf("%d rounds to %d, wanted %d", amount, found, wanted)
		}
	}
	if found := (99 * gridbill.Cent).Percent(1900); found != 19*gridbill.Cent {
		t.Errorf("19%% of 0.99 are %s", found)
	}
}

func TestParseReadings(t *testing.T) {
	parsed, err := gridbill.ParseReadings(strings.NewReader("B;2026-01-02T00:00:00Z;2\nA;2026-01-02T00:00:00Z;1.5\nB;2026-01-01T00:00:00Z;1\n"))
	if err != nil || len(parsed) != 3 || parsed[0].Meter != "A" || parsed[0].WattHours != 1500 || parsed[1].WattHours != 1000 {
		t.Fatalf("%+v, %v", parsed, err)
	}
	for text, line := range map[string]int{
		"A;2026-01-01T00:00:00Z;1\nA;yesterday;1\n": 2, "# c\n\nA;2026-01-01T00:00:00Z;x\n": 3, ";2026-01-01T00:00:00Z;1\n": 1, "A;1\n": 1,
	} {
		_, err := gridbill.ParseReadings(strings.NewReader(text))
		var wrong *gridbill.ParseError
		if !errors.As(err, &wrong) || wrong.Line != line {
			t.Errorf("%q: %v, wanted an error of line %d", text, err, line)
		}
	}
}

func TestConsumption(t *testing.T) {
	u := usage(t, day(1), day(3))
	if u.Meter != "M-17" || u.WattHours() != 36_000 {
		t.Fatalf("%s %d", u.Meter, u.WattHours())
	}
	if begin, energy := u.Peak(); energy != 1000 || !begin.Equal(day(2)) {
		t.Fatalf("peak %v %d", begin, energy)
	}
	if found := usage(t, day(1).Add(7*time.Hour), day(1).Add(9*time.Hour)).WattHours(); found != 1000 {
		t.Fatalf("two hours: %d", found)
	}
	parsed, _ := gridbill.ParseReadings(strings.NewReader(readings))
	if _, err := gridbill.Consumption(parsed, day(1), day(4)); !errors.Is(err, gridbill.ErrNoReadings) {
		t.Fatalf("not covered: %v", err)
	}
	parsed[2].WattHours = 0
	if _, err := gridbill.Consumption(parsed, day(1), day(2)); !errors.Is(err, gridbill.ErrBackwards) {
		t.Fatalf("backwards: %v", err)
	}
}

func TestPrice(t *testing.T) {
	tariff := &gridbill.Tariff{
		Name: "test", Monthly: 10 * gridbill.Euro,
		Tiers:   []gridbill.Tier{{UpTo: 20_000, PerKWh: 300_000}, {PerKWh: 400_000}},
		Windows: []gridbill.Window{{Name: "night", From: 22, To: 6, PerKWh: 200_000}},
	}
	u := usage(t, day(1), day(3))
	wanted := []gridbill.Line{
		{Text: "1 months at 10.00", Amount: 10 * gridbill.Euro},
		{Text: "night, 12.000 kWh at 0.20", Amount: 240 * gridbill.Cent},
		{Text: "energy, 20.000 kWh at 0.30", Amount: 6 * gridbill.Euro},
		{Text: "energy, 4.000 kWh at 0.40", Amount: 160 * gridbill.Cent},
	}
	if found := tariff.Price(u); !slices.Equal(found, wanted) {
		t.Fatalf("found %v\nwanted %v", found, wanted)
	}
	if found := u.Cost(tariff); found != 20*gridbill.Euro {
		t.Fatalf("costs %s", found)
	}
}

func TestTariffs(t *testing.T) {
	if names := gridbill.TariffNames(); !slices.Contains(names, "standard-2026") || !slices.Contains(names, "night-2026") {
		t.Fatalf("%v", names)
	}
	if _, err := gridbill.LookupTariff("standard-1926"); !errors.Is(err, gridbill.ErrUnknownTariff) {
		t.Fatal(err)
	}
	if err := gridbill.RegisterTariff(&gridbill.Tariff{Name: "endless", Tiers: []gridbill.Tier{{UpTo: 5}}}); err == nil {
		t.Fatal("registered a tariff whose tiers end")
	}
}

func TestInvoice(t *testing.T) {
	set(t, &gridbill.Now, func() time.Time { return day(20) })
	invoice, err := gridbill.NewInvoice("2026-0117", "Bakery Kern", lookup(t, "night-2026"), usage(t, day(1), day(3)))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := invoice.Render(&out); err != nil {
		t.Fatal(err)
	}
	wanted := `Invoice 2026-0117 of 2026-01-20
for Bakery Kern

Meter M-17, 2026-01-01 to 2026-01-03, 36.000 kWh, tariff night-2026

              1 months at 14.50  14.50
  night, 12.000 kWh at 0.2433   2.92
  energy, 24.000 kWh at 0.3619   8.69
                           net  26.11
                       VAT 19%   4.96
                        to pay  31.07

The most was used on 2026-01-02 at 00:00: 1.000 kWh in an hour.

To be paid until 2026-02-03.
`
	if normal(out.String()) != normal(wanted) {
		t.Fatalf("found:\n%s", out.String())
	}
}

// normal takes no notice of how a table is laid out.
func normal(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return strings.Join(lines, "\n")
}

func TestInvoiceInJSON(t *testing.T) {
	set(t, &gridbill.Now, func() time.Time { return day(20).UTC() })
	made, err := gridbill.NewInvoice("2026-0117", "Bakery Kern", lookup(t, "standard-2026"), usage(t, day(1).UTC(), day(3).UTC()))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var read gridbill.Invoice
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&read, made) {
		t.Fatalf("found %+v\nwanted %+v", read, *made)
	}
	unknown := strings.Replace(string(text), "standard-2026", "standard-1926", 1)
	if err := json.Unmarshal([]byte(unknown), &read); !errors.Is(err, gridbill.ErrUnknownTariff) {
		t.Fatalf("an unknown tariff: %v", err)
	}
}

func TestSettings(t *testing.T) {
	set(t, &gridbill.Now, func() time.Time { return day(20) })
	set(t, &gridbill.DefaultVAT, 700)
	set(t, &gridbill.PaymentDays, 30)
	tariff := &gridbill.Tariff{Name: "flat", Monthly: 100 * gridbill.Euro, Tiers: []gridbill.Tier{{}}}
	for vat, wanted := range map[int]gridbill.Amount{0: 7 * gridbill.Euro, 1600: 16 * gridbill.Euro, -1: 0} {
		tariff.VAT = vat
		invoice, err := gridbill.NewInvoice("1", "Kern", tariff, usage(t, day(1), day(2)))
		if err != nil || invoice.VAT != wanted || invoice.Gross != invoice.Net+wanted || !invoice.Due.Equal(day(20).AddDate(0, 0, 30)) {
			t.Fatalf("%+v, %v", invoice, err)
		}
	}
}
