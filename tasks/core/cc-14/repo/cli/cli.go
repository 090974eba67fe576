// Package cli is the command line of coldkeep.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"example.org/coldkeep/catalog"
	"example.org/coldkeep/retention"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitLocked = 3
)

// Hook is called after a command has changed the archive.
type Hook func(ctx context.Context, command string, dumps []string) error

// App is the program with all that it takes from its surroundings.
type App struct {
	Stdout io.Writer
	Stderr io.Writer
	// Now is the clock.
	Now func() time.Time
	// Hook may be nil.
	Hook Hook
}

var errUsage = errors.New("usage")

const usage = `coldkeep -archive FOLDER COMMAND

  add DATABASE FILE
  list
  prune [-daily N] [-weekly N] [-monthly N] [-empty-trash]
  remove NAME...
`

// Run carries a command out and returns the exit code.
func (a *App) Run(ctx context.Context, arguments []string) int {
	err := a.run(ctx, arguments)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(a.Stdout, usage)
		return exitDone
	case errors.Is(err, errUsage):
		fmt.Fprintf(a.Stderr, "coldkeep: %v\n\n%s", err, usage)
		return exitUsage
	case errors.Is(err, catalog.ErrLocked):
		fmt.Fprintf(a.Stderr, "coldkeep: %v\n", err)
		return exitLocked
	default:
		fmt.Fprintf(a.Stderr, "coldkeep: %v\n", err)
		return exitFailed
	}
}

func (a *App) run(ctx context.Context, arguments []string) error {
	global := flags("coldkeep")
	folder := global.String("archive", ".", "")
	if err := parse(global, arguments); err != nil {
		return err
	}
	if global.NArg() == 0 {
		return fmt.Errorf("%w: no command", errUsage)
	}
	archive, err := catalog.Open(*folder, a.Now)
	if err != nil {
		return err
	}
	rest := global.Args()[1:]
	switch command := global.Arg(0); command {
	case "add":
		return a.add(ctx, archive, rest)
	case "list":
		return a.list(archive, rest)
	case "prune":
		return a.prune(ctx, archive, rest)
	case "remove":
		return a.remove(ctx, archive, rest)
	default:
		return fmt.Errorf("%w: there is no command %q", errUsage, command)
	}
}

func (a *App) add(ctx context.Context, archive *catalog.Archive, arguments []string) error {
	options := flags("add")
	if err := parse(options, arguments); err != nil {
		return err
	}
	if options.NArg() != 2 {
		return fmt.Errorf("%w: add takes a database and a file", errUsage)
	}
	unlock, err := archive.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	d, err := archive.Add(options.Arg(0), options.Arg(1))
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "added %s (%s)\n", d.Name, size(d.Bytes))
	return a.hook(ctx, "add", []string{d.Name})
}

func (a *App) list(archive *catalog.Archive, arguments []string) error {
	options := flags("list")
	if err := parse(options, arguments); err != nil {
		return err
	}
	table := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	for _, d := range archive.Dumps() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", d.Name, d.Taken.Format(time.RFC3339), size(d.Bytes))
	}
	return table.Flush()
}

func (a *App) prune(ctx context.Context, archive *catalog.Archive, arguments []string) error {
	options := flags("prune")
	var rules retention.Rules
	options.IntVar(&rules.Daily, "daily", 0, "")
	options.IntVar(&rules.Weekly, "weekly", 0, "")
	options.IntVar(&rules.Monthly, "monthly", 0, "")
	emptyTrash := options.Bool("empty-trash", false, "")
	if err := parse(options, arguments); err != nil {
		return err
	}
	if options.NArg() > 0 {
		return fmt.Errorf("%w: prune takes no names", errUsage)
	}
	if rules.None() {
		return fmt.Errorf("%w: prune needs a rule", errUsage)
	}
	unlock, err := archive.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	superfluous := rules.Superfluous(archive.Dumps())
	if err := a.throwAway(archive, superfluous); err != nil {
		return err
	}
	if *emptyTrash {
		names, bytes, err := archive.Trash()
		if err != nil {
			return err
		}
		if err := archive.EmptyTrash(); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "emptied the trash: %d dumps, %s\n", len(names), size(bytes))
	}
	return a.hook(ctx, "prune", names(superfluous))
}

func (a *App) remove(ctx context.Context, archive *catalog.Archive, arguments []string) error {
	options := flags("remove")
	if err := parse(options, arguments); err != nil {
		return err
	}
	if options.NArg() == 0 {
		return fmt.Errorf("%w: remove takes the names of dumps", errUsage)
	}
	unlock, err := archive.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	// All or nothing: a name that is not there keeps the others.
	var unwanted []catalog.Dump
	for _, name := range options.Args() {
		d, err := archive.Find(name)
		if err != nil {
			return err
		}
		unwanted = append(unwanted, d)
	}
	if err := a.throwAway(archive, unwanted); err != nil {
		return err
	}
	return a.hook(ctx, "remove", names(unwanted))
}

// throwAway moves dumps to the trash and says so.
func (a *App) throwAway(archive *catalog.Archive, dumps []catalog.Dump) error {
	var bytes int64
	for _, d := range dumps {
		if err := archive.Remove(d.Name); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "removed %s (%s)\n", d.Name, size(d.Bytes))
		bytes += d.Bytes
	}
	fmt.Fprintf(a.Stdout, "%d dumps, %s\n", len(dumps), size(bytes))
	return nil
}

func (a *App) hook(ctx context.Context, command string, dumps []string) error {
	if a.Hook == nil || len(dumps) == 0 {
		return nil
	}
	if err := a.Hook(ctx, command, dumps); err != nil {
		return fmt.Errorf("the hook: %w", err)
	}
	return nil
}

func names(dumps []catalog.Dump) []string {
	var names []string
	for _, d := range dumps {
		names = append(names, d.Name)
	}
	return names
}

// size writes bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	case bytes < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
}

func flags(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	return set
}

func parse(set *flag.FlagSet, arguments []string) error {
	err := set.Parse(arguments)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return fmt.Errorf("%w: %w", errUsage, err)
}
