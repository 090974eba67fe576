// Command fleetctl reads and changes the inventory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"example.org/fleet/api"
	"example.org/fleet/client"
	"example.org/fleet/device"
)

const usage = `fleetctl [-server ADDRESS] COMMAND

  list [-site SITE] [-status STATUS] [-tag TAG]
  register -name NAME -site SITE [-model MODEL] [-tags A,B]
  status ID STATUS
  remove ID
`

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fleetctl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	global := flag.NewFlagSet("fleetctl", flag.ContinueOnError)
	server := global.String("server", "http://localhost:8070", "address of fleetd")
	if err := global.Parse(arguments); err != nil {
		return err
	}
	c := &client.Client{Server: *server}
	if global.NArg() == 0 {
		return errors.New("no command\n\n" + usage)
	}
	rest := global.Args()[1:]
	switch command := global.Arg(0); {
	case command == "list":
		return list(ctx, c, rest, out)
	case command == "register":
		return register(ctx, c, rest, out)
	case command == "status" && len(rest) == 2:
		status, err := device.ParseStatus(rest[1])
		if err != nil {
			return err
		}
		_, err = c.SetStatus(ctx, rest[0], status)
		return err
	case command == "remove" && len(rest) == 1:
		return c.Remove(ctx, rest[0])
	default:
		return errors.New("no such command\n\n" + usage)
	}
}

func list(ctx context.Context, c *client.Client, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("list", flag.ContinueOnError)
	var filter device.Filter
	flags.StringVar(&filter.Site, "site", "", "only of this site")
	flags.StringVar(&filter.Tag, "tag", "", "only with this tag")
	status := flags.String("status", "", "only in this status")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	filter.Status = device.Status(*status)
	devices, err := c.List(ctx, filter)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tSITE\tSTATUS\tTAGS")
	for _, d := range devices {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", d.ID, d.Name, d.Site, d.Status, strings.Join(d.Tags, ","))
	}
	return table.Flush()
}

func register(ctx context.Context, c *client.Client, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("register", flag.ContinueOnError)
	var wanted api.Registration
	flags.StringVar(&wanted.Name, "name", "", "name")
	flags.StringVar(&wanted.Site, "site", "", "site")
	flags.StringVar(&wanted.Model, "model", "", "model")
	tags := flags.String("tags", "", "tags, with commas between them")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *tags != "" {
		wanted.Tags = strings.Split(*tags, ",")
	}
	d, err := c.Register(ctx, wanted)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, d.ID)
	return nil
}
