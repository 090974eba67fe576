// Package gridbill turns readings of electricity meters into invoices.
package gridbill

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// Settings of the whole program. They may be changed at any time before they are used.
var (
	// Now is the clock by which invoices are issued and become overdue.
	Now = time.Now
	// DefaultVAT is the value-added tax of tariffs without one of their own, in hundredths of a percent.
	DefaultVAT = 1900
	// PaymentDays is how many days customers have to pay.
	PaymentDays = 14
)

// Errors.
var (
	ErrNoReadings    = errors.New("the readings do not cover the time")
	ErrBackwards     = errors.New("the meter runs backwards")
	ErrUnknownTariff = errors.New("there is no such tariff")
)

// ---------------------------------------------------------------------------------------------------------------------
// Amounts

// Amount is an amount of money in millionths of a euro.
type Amount int64

// Units of amounts.
const (
	Cent Amount = 10_000
	Euro Amount = 100 * Cent
)

// ParseAmount reads an amount in euros with at most six decimals, such as 0.3147.
func ParseAmount(text string) (Amount, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	negative := strings.HasPrefix(whole, "-")
	whole = strings.TrimPrefix(whole, "-")
	if len(decimals) > 6 || !digits(whole) || (decimals != "" && !digits(decimals)) {
		return 0, fmt.Errorf("%q is no amount", text)
	}
	millionths, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", 6-len(decimals)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no amount", text)
	}
	if negative {
		millionths = -millionths
	}
	return Amount(millionths), nil
}

// Round is the amount in whole cents; halves go to the even one.
func (a Amount) Round() Amount { return Amount(divide(big.NewInt(int64(a)), int64(Cent))) * Cent }

// Percent is a share of the amount, given in hundredths of a percent, in whole cents.
func (a Amount) Percent(hundredths int) Amount {
	product := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(hundredths)))
	return Amount(divide(product, 10_000*int64(Cent))) * Cent
}

// String is the amount in euros, with two decimals or with as many as it needs.
func (a Amount) String() string {
	sign, value := "", int64(a)
	if value < 0 {
		sign, value = "-", -value
	}
	decimals := strings.TrimRight(fmt.Sprintf("%06d", value%int64(Euro)), "0")
	for len(decimals) < 2 {
		decimals += "0"
	}
	return fmt.Sprintf("%s%d.%s", sign, value/int64(Euro), decimals)
}

// MarshalText writes the amount as String does.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads an amount as ParseAmount does.
func (a *Amount) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAmount(string(text))
	return err
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// divide divides and rounds; halves go to the even number.
func divide(value *big.Int, by int64) int64 {
	quotient, rest := new(big.Int).QuoRem(value, big.NewInt(by), new(big.Int))
	twice := new(big.Int).Mul(rest.Abs(rest), big.NewInt(2))
	order := twice.Cmp(big.NewInt(by))
	if order > 0 || (order == 0 && quotient.Bit(0) == 1) {
		if value.Sign() < 0 {
			quotient.Sub(quotient, big.NewInt(1))
		} else {
			quotient.Add(quotient, big.NewInt(1))
		}
	}
	return quotient.Int64()
}

// ---------------------------------------------------------------------------------------------------------------------
// Readings

// Reading is what a meter showed at a time.
type Reading struct {
	Meter     string
	At        time.Time
	WattHours int64
}

// ParseError says which line of readings is wrong.
type ParseError struct {
	Line   int
	Reason string
}

func (e *ParseError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// ParseReadings reads lines of meter, time and kilowatt-hours, such as M-17;2026-01-01T00:00:00+01:00;1204.250. Lines that
// begin with # are comments. The readings come out by meter and time.
func ParseReadings(from io.Reader) ([]Reading, error) {
	lines := csv.NewReader(bufio.NewReader(from))
	lines.Comma, lines.Comment, lines.FieldsPerRecord = ';', '#', 3
	var readings []Reading
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			return nil, &ParseError{Line: wrong.Line, Reason: wrong.Err.Error()}
		}
		if err != nil {
			return nil, fmt.Errorf("read the readings: %w", err)
		}
		line, _ := lines.FieldPos(0)
		at, err := time.Parse(time.RFC3339, fields[1])
		if err != nil {
			return nil, &ParseError{Line: line, Reason: fmt.Sprintf("%q is no time", fields[1])}
		}
		energy, err := parseKilo(fields[2])
		if err != nil {
			return nil, &ParseError{Line: line, Reason: err.Error()}
		}
		if fields[0] == "" {
			return nil, &ParseError{Line: line, Reason: "the meter is missing"}
		}
		readings = append(readings, Reading{Meter: fields[0], At: at, WattHours: energy})
	}
	slices.SortStableFunc(readings, func(a, b Reading) int {
		if order := strings.Compare(a.Meter, b.Meter); order != 0 {
			return order
		}
		return a.At.Compare(b.At)
	})
	return readings, nil
}

// parseKilo reads a number of thousands with at most three decimals.
func parseKilo(text string) (int64, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	if len(decimals) > 3 || !digits(whole) || (decimals != "" && !digits(decimals)) {
		return 0, fmt.Errorf("%q is no number of kilowatt-hours", text)
	}
	return strconv.ParseInt(whole+decimals+strings.Repeat("0", 3-len(decimals)), 10, 64)
}

// Usage is how much electricity went through a meter, hour by hour.
type Usage struct {
	Meter string
	From  time.Time
	To    time.Time

	hours []int64
}

// Consumption finds what went through the meter of the readings between two full hours. Between readings it is taken to
// be even.
func Consumption(readings []Reading, from, to time.Time) (Usage, error) {
	if !from.Before(to) || !from.Equal(from.Truncate(time.Hour)) || !to.Equal(to.Truncate(time.Hour)) {
		return Usage{}, fmt.Errorf("%s to %s is no time of full hours", from.Format(time.RFC3339), to.Format(time.RFC3339))
	}
	if len(readings) < 2 || readings[0].At.After(from) || readings[len(readings)-1].At.Before(to) {
		return Usage{}, ErrNoReadings
	}
	for i := 1; i < len(readings); i++ {
		if readings[i].Meter != readings[0].Meter {
			return Usage{}, fmt.Errorf("the readings are of %s and %s", readings[0].Meter, readings[i].Meter)
		}
		if readings[i].WattHours < readings[i-1].WattHours {
			return Usage{}, fmt.Errorf("%w at %s", ErrBackwards, readings[i].At.Format(time.RFC3339))
		}
	}
	usage := Usage{Meter: readings[0].Meter, From: from, To: to}
	before := shown(readings, from)
	for at := from; at.Before(to); {
		at = at.Add(time.Hour)
		after := shown(readings, at)
		usage.hours = append(usage.hours, after-before)
		before = after
	}
	return usage, nil
}

// shown is what the meter showed at a time that the readings cover.
func shown(readings []Reading, at time.Time) int64 {
	next, exact := slices.BinarySearchFunc(readings, at, func(r Reading, at time.Time) int { return r.At.Compare(at) })
	if exact {
		return readings[next].WattHours
	}
	a, b := readings[next-1], readings[next]
	passed := new(big.Int).Mul(big.NewInt(b.WattHours-a.WattHours), big.NewInt(int64(at.Sub(a.At)/time.Second)))
	return a.WattHours + divide(passed, int64(b.At.Sub(a.At)/time.Second))
}

// WattHours is the usage as a whole.
func (u Usage) WattHours() (total int64) {
	for _, hour := range u.hours {
		total += hour
	}
	return total
}

// Peak is the hour of the largest usage, the first of several.
func (u Usage) Peak() (begin time.Time, wattHours int64) {
	begin, wattHours = u.From, -1
	for i, hour := range u.hours {
		if hour > wattHours {
			begin, wattHours = u.From.Add(time.Duration(i)*time.Hour), hour
		}
	}
	return begin, max(wattHours, 0)
}

// Cost is what the usage costs by a tariff, without tax.
func (u Usage) Cost(t *Tariff) Amount {
	var total Amount
	for _, line := range t.Price(u) {
		total += line.Amount
	}
	return total
}

// ---------------------------------------------------------------------------------------------------------------------
// Tariffs

// Tier is a price for energy up to a sum. The last tier of a tariff has no end: UpTo is 0.
type Tier struct {
	UpTo   int64 // watt-hours
	PerKWh Amount
}

// Window is a price for hours of the day, From 22 To 6 for those of the night. It goes before the tiers.
type Window struct {
	Name   string
	From   int
	To     int
	PerKWh Amount
}

// Tariff is how electricity is priced.
type Tariff struct {
	Name    string
	Monthly Amount // for each month that has begun
	Tiers   []Tier
	Windows []Window
	// VAT is in hundredths of a percent; 0 stands for DefaultVAT, a negative one for none.
	VAT int
}

// Line is a position of an invoice.
type Line struct {
	Text   string `json:"text"`
	Amount Amount `json:"amount"`
}

// Check says what is wrong with a tariff.
func (t *Tariff) Check() error {
	if t.Name == "" || strings.ContainsAny(t.Name, " \t\n") {
		return fmt.Errorf("%q is no name of a tariff", t.Name)
	}
	if len(t.Tiers) == 0 || t.Tiers[len(t.Tiers)-1].UpTo != 0 {
		return fmt.Errorf("tariff %s: the last tier must have no end", t.Name)
	}
	for i, tier := range t.Tiers[:len(t.Tiers)-1] {
		if tier.UpTo <= 0 || (i > 0 && tier.UpTo <= t.Tiers[i-1].UpTo) {
			return fmt.Errorf("tariff %s: tier %d does not end after the one before", t.Name, i+1)
		}
	}
	for _, w := range t.Windows {
		if w.Name == "" || w.From < 0 || w.From > 23 || w.To < 0 || w.To > 24 || w.From == w.To {
			return fmt.Errorf("tariff %s: window %q has no hours", t.Name, w.Name)
		}
	}
	return nil
}

func (w Window) holds(hour int) bool {
	if w.From < w.To {
		return w.From <= hour && hour < w.To
	}
	return hour >= w.From || hour < w.To
}

// Price is what a usage costs: the monthly price, the windows, the tiers. Lines without energy are left out. Amounts are in
// whole cents.
func (t *Tariff) Price(u Usage) []Line {
	var lines []Line
	if t.Monthly != 0 {
		count := months(u.From, u.To)
		lines = append(lines, Line{fmt.Sprintf("%d months at %s", count, t.Monthly), (t.Monthly * Amount(count)).Round()})
	}
	inWindow := make([]int64, len(t.Windows))
	var rest int64
	for i, energy := range u.hours {
		hour := u.From.Add(time.Duration(i) * time.Hour).Hour()
		window := slices.IndexFunc(t.Windows, func(w Window) bool { return w.holds(hour) })
		if window < 0 {
			rest += energy
		} else {
			inWindow[window] += energy
		}
	}
	for i, w := range t.Windows {
		if inWindow[i] > 0 {
			lines = append(lines, energyLine(w.Name, inWindow[i], w.PerKWh))
		}
	}
	begin := int64(0)
	for _, tier := range t.Tiers {
		part := rest - begin
		if tier.UpTo > 0 {
			part = min(part, tier.UpTo-begin)
		}
		if part <= 0 {
			break
		}
		lines = append(lines, energyLine("energy", part, tier.PerKWh))
		begin = tier.UpTo
	}
	return lines
}

func energyLine(name string, wattHours int64, perKWh Amount) Line {
	product := new(big.Int).Mul(big.NewInt(wattHours), big.NewInt(int64(perKWh)))
	cents := divide(product, 1000*int64(Cent))
	return Line{fmt.Sprintf("%s, %s kWh at %s", name, kilo(wattHours), perKWh), Amount(cents) * Cent}
}

// months counts the months that have begun between two times.
func months(from, to time.Time) int {
	count := 0
	for from.AddDate(0, count, 0).Before(to) {
		count++
	}
	return count
}

// kilo writes a number of thousands.
func kilo(value int64) string { return fmt.Sprintf("%d.%03d", value/1000, value%1000) }

var registry = struct {
	sync.RWMutex
	tariffs map[string]*Tariff
}{tariffs: map[string]*Tariff{}}

func init() {
	for _, t := range []*Tariff{
		{
			Name: "standard-2026", Monthly: 12*Euro + 90*Cent,
			Tiers: []Tier{{UpTo: 200_000, PerKWh: 314_700}, {PerKWh: 348_200}},
		},
		{
			Name: "night-2026", Monthly: 14*Euro + 50*Cent,
			Tiers:   []Tier{{PerKWh: 361_900}},
			Windows: []Window{{Name: "night", From: 22, To: 6, PerKWh: 243_300}},
		},
	} {
		if err := RegisterTariff(t); err != nil {
			panic(err)
		}
	}
}

// RegisterTariff makes a tariff known by its name. One of the same name is replaced.
func RegisterTariff(t *Tariff) error {
	if err := t.Check(); err != nil {
		return err
	}
	registry.Lock()
	defer registry.Unlock()
	registry.tariffs[t.Name] = t
	return nil
}

// LookupTariff finds a tariff by its name, or fails with ErrUnknownTariff.
func LookupTariff(name string) (*Tariff, error) {
	registry.RLock()
	defer registry.RUnlock()
	t, known := registry.tariffs[name]
	if !known {
		return nil, fmt.Errorf("%s: %w", name, ErrUnknownTariff)
	}
	return t, nil
}

// TariffNames lists the tariffs that are known.
func TariffNames() []string {
	registry.RLock()
	defer registry.RUnlock()
	names := make([]string, 0, len(registry.tariffs))
	for name := range registry.tariffs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ---------------------------------------------------------------------------------------------------------------------
// Invoices

// Invoice is what a customer has to pay.
type Invoice struct {
	Number   string
	Customer string
	Issued   time.Time
	Due      time.Time
	Tariff   *Tariff
	Usage    Usage
	Lines    []Line
	Net      Amount
	VAT      Amount
	Gross    Amount

	rate int
}

// NewInvoice makes an invoice for a usage. It is issued now.
func NewInvoice(number, customer string, t *Tariff, u Usage) (*Invoice, error) {
	if number == "" || customer == "" {
		return nil, errors.New("an invoice needs a number and a customer")
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	issued := Now()
	invoice := &Invoice{
		Number: number, Customer: customer, Issued: issued, Due: issued.AddDate(0, 0, PaymentDays),
		Tariff: t, Usage: u, Lines: t.Price(u), rate: DefaultVAT,
	}
	switch {
	case t.VAT > 0:
		invoice.rate = t.VAT
	case t.VAT < 0:
		invoice.rate = 0
	}
	invoice.Net = u.Cost(t)
	invoice.VAT = invoice.Net.Percent(invoice.rate)
	invoice.Gross = invoice.Net + invoice.VAT
	return invoice, nil
}

// Overdue says whether the time to pay is over.
func (i *Invoice) Overdue() bool { return Now().After(i.Due) }

// Render writes the invoice for people.
func (i *Invoice) Render(to io.Writer) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "Invoice %s of %s\nfor %s\n\n", i.Number, i.Issued.Format(time.DateOnly), i.Customer)
	fmt.Fprintf(out, "Meter %s, %s to %s, %s kWh, tariff %s\n\n", i.Usage.Meter,
		i.Usage.From.Format(time.DateOnly), i.Usage.To.Format(time.DateOnly), kilo(i.Usage.WattHours()), i.Tariff.Name)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(text string, amount Amount) { fmt.Fprintf(table, "%s\t%s\t\n", text, cents(amount)) }
	for _, line := range i.Lines {
		row(line.Text, line.Amount)
	}
	row("net", i.Net)
	row("VAT "+percent(i.rate), i.VAT)
	row("to pay", i.Gross)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("render invoice %s: %w", i.Number, err)
	}
	if begin, energy := i.Usage.Peak(); energy > 0 {
		fmt.Fprintf(out, "\nThe most was used on %s: %s kWh in an hour.\n", begin.Format("2006-01-02 at 15:04"), kilo(energy))
	}
	fmt.Fprintf(out, "\nTo be paid until %s.\n", i.Due.Format(time.DateOnly))
	if err := out.Flush(); err != nil {
		return fmt.Errorf("render invoice %s: %w", i.Number, err)
	}
	return nil
}

// cents writes an amount with two decimals.
func cents(a Amount) string {
	sign, value := "", a.Round()/Cent
	if value < 0 {
		sign, value = "-", -value
	}
	return fmt.Sprintf("%s%d.%02d", sign, value/100, value%100)
}

func percent(hundredths int) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100), "0"), ".") + "%"
}

// document is the form of an invoice in files.
type document struct {
	Number   string    `json:"number"`
	Customer string    `json:"customer"`
	Issued   time.Time `json:"issued"`
	Due      time.Time `json:"due"`
	Tariff   string    `json:"tariff"`
	Meter    string    `json:"meter"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Hours    []int64   `json:"hours"`
	Lines    []Line    `json:"lines"`
	Net      Amount    `json:"net"`
	Rate     int       `json:"vat_rate"`
	VAT      Amount    `json:"vat"`
	Gross    Amount    `json:"gross"`
}

// MarshalJSON writes the invoice with the name of its tariff.
func (i *Invoice) MarshalJSON() ([]byte, error) {
	return json.Marshal(document{
		Number: i.Number, Customer: i.Customer, Issued: i.Issued, Due: i.Due, Tariff: i.Tariff.Name,
		Meter: i.Usage.Meter, From: i.Usage.From, To: i.Usage.To, Hours: i.Usage.hours,
		Lines: i.Lines, Net: i.Net, Rate: i.rate, VAT: i.VAT, Gross: i.Gross,
	})
}

// UnmarshalJSON reads an invoice. Its tariff must be known; ErrUnknownTariff says that it is not.
func (i *Invoice) UnmarshalJSON(text []byte) error {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	t, err := LookupTariff(d.Tariff)
	if err != nil {
		return fmt.Errorf("invoice %s: %w", d.Number, err)
	}
	if wanted := int(d.To.Sub(d.From) / time.Hour); len(d.Hours) != wanted {
		return fmt.Errorf("invoice %s: %d hours, wanted %d", d.Number, len(d.Hours), wanted)
	}
	*i = Invoice{
		Number: d.Number, Customer: d.Customer, Issued: d.Issued, Due: d.Due, Tariff: t,
		Usage: Usage{Meter: d.Meter, From: d.From, To: d.To, hours: d.Hours},
		Lines: d.Lines, Net: d.Net, rate: d.Rate, VAT: d.VAT, Gross: d.Gross,
	}
	return nil
}
