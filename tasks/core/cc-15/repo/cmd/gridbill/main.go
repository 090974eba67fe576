// Command gridbill makes an invoice of a file of readings.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.org/gridbill"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gridbill:", err)
		os.Exit(1)
	}
}

func run(arguments []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("gridbill", flag.ContinueOnError)
	number := flags.String("number", "", "number of the invoice")
	customer := flags.String("customer", "", "who pays")
	name := flags.String("tariff", "standard-2026", "one of "+strings.Join(gridbill.TariffNames(), ", "))
	from := flags.String("from", "", "first hour, such as 2026-01-01T00:00:00+01:00")
	to := flags.String("to", "", "end of the last hour")
	asJSON := flags.Bool("json", false, "write JSON")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	readings, err := gridbill.ParseReadings(in)
	if err != nil {
		return err
	}
	begin, err := time.Parse(time.RFC3339, *from)
	if err != nil {
		return err
	}
	end, err := time.Parse(time.RFC3339, *to)
	if err != nil {
		return err
	}
	usage, err := gridbill.Consumption(readings, begin, end)
	if err != nil {
		return err
	}
	tariff, err := gridbill.LookupTariff(*name)
	if err != nil {
		return err
	}
	invoice, err := gridbill.NewInvoice(*number, *customer, tariff, usage)
	if err != nil {
		return err
	}
	if *asJSON {
		return json.NewEncoder(out).Encode(invoice)
	}
	return invoice.Render(out)
}
