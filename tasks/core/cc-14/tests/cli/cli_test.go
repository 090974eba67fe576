package cli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/coldkeep/cli"
)

// world is an archive and what the program did to its surroundings.
type world struct {
	*testing.T
	folder   string
	now      time.Time
	calls    []string
	hook     error
	out, err string
}

func newWorld(t *testing.T) *world {
	return &world{T: t, folder: t.TempDir(), now: time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)}
}

func (w *world) run(arguments ...string) int {
	w.Helper()
	var out, err strings.Builder
	app := cli.App{
		Stdout: &out, Stderr: &err, Now: func() time.Time { return w.now },
		Hook: func(_ context.Context, command string, dumps []string) error {
			w.calls = append(w.calls, command+" "+strings.Join(dumps, " "))
			return w.hook
		},
	}
	code := app.Run(w.Context(), append([]string{"-archive", w.folder}, arguments...))
	w.out, w.err = out.String(), err.String()
	return code
}

func (w *world) expect(code int, out string) {
	w.Helper()
	if w.out != out {
		w.Fatalf("standard output:\n%swanted:\n%s(standard error: %s)", w.out, out, w.err)
	}
	if (w.err != "") != (code != 0) {
		w.Fatalf("standard error: %s", w.err)
	}
}

// must runs a command and expects its exit code.
func (w *world) must(code int, arguments ...string) {
	w.Helper()
	if found := w.run(arguments...); found != code {
		w.Fatalf("%v: exit code %d, wanted %d\n%s%s", arguments, found, code, w.out, w.err)
	}
}

// fill adds a dump of a database for each of the last days.
func (w *world) fill(db string, days int) {
	w.Helper()
	dump := filepath.Join(w.TempDir(), "dump")
	if err := os.WriteFile(dump, []byte(strings.Repeat("x", 1536)), 0o644); err != nil {
		w.Fatal(err)
	}
	today := w.now
	for day := days - 1; day >= 0; day-- {
		w.now = today.AddDate(0, 0, -day)
		w.must(0, "add", db, dump)
	}
	w.now, w.calls = today, nil
}

func (w *world) files(folder string) []string {
	w.Helper()
	names := []string{}
	files, err := os.ReadDir(filepath.Join(w.folder, folder))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.Fatal(err)
	}
	for _, file := range files {
		names = append(names, file.Name())
	}
	return names
}

func TestAddAndList(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 2)
	w.must(0, "list")
	w.expect(0, "shop-20260228T020000Z  2026-02-28T02:00:00Z  1.5 KiB\nshop-20260301T020000Z  2026-03-01T02:00:00Z  1.5 KiB\n")
}

func TestPrune(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 4)
	w.must(0, "prune", "-daily", "2")
	w.expect(0, "removed shop-20260226T020000Z (1.5 KiB)\nremoved shop-20260227T020000Z (1.5 KiB)\n2 dumps, 3.0 KiB\n")
	if found := w.files("trash"); !slices.Equal(found, []string{"shop-20260226T020000Z.dump", "shop-20260227T020000Z.dump"}) {
		t.Fatalf("trash: %v", found)
	}
	if !slices.Equal(w.calls, []string{"prune shop-20260226T020000Z shop-20260227T020000Z"}) {
		t.Fatalf("hook: %v", w.calls)
	}
	w.must(0, "prune", "-daily", "2", "-empty-trash")
	w.expect(0, "0 dumps, 0 B\nemptied the trash: 2 dumps, 3.0 KiB\n")
	if found := w.files("trash"); len(found) > 0 {
		t.Fatalf("trash: %v", found)
	}
	if len(w.calls) != 1 {
		t.Fatalf("hook: %v", w.calls)
	}
}

func TestRemove(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 3)
	w.must(1, "remove", "shop-20260228T020000Z", "shop-20200101T020000Z")
	w.expect(1, "")
	w.must(0, "remove", "shop-20260228T020000Z")
	w.expect(0, "removed shop-20260228T020000Z (1.5 KiB)\n1 dumps, 1.5 KiB\n")
	if found := w.files("dumps"); !slices.Equal(found, []string{"shop-20260227T020000Z.dump", "shop-20260301T020000Z.dump"}) {
		t.Fatalf("dumps: %v", found)
	}
}

func TestHookThatFails(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 1)
	w.hook = errors.New("exit status 7")
	w.must(1, "remove", "shop-20260301T020000Z")
	if w.err != "coldkeep: the hook: exit status 7\n" {
		t.Fatalf("standard error: %s", w.err)
	}
}

func TestUsage(t *testing.T) {
	w := newWorld(t)
	for _, arguments := range [][]string{
		{}, {"tidy"}, {"add", "shop"}, {"prune"}, {"prune", "-daily", "x"}, {"prune", "-daily", "1", "shop"}, {"remove"}, {"remove", "-force", "a"},
	} {
		w.must(2, arguments...)
	}
	w.must(0, "-h")
}

func TestLocked(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 2)
	if err := os.WriteFile(filepath.Join(w.folder, ".lock"), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.must(3, "prune", "-daily", "1")
	w.must(3, "remove", "shop-20260301T020000Z")
	w.must(0, "list")
}
