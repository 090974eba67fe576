package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// snapshot is every file and folder of an archive with its content and the time of its last change.
func (w *world) snapshot() map[string]string {
	w.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(w.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		state := info.Mode().String() + " " + info.ModTime().UTC().Format(time.RFC3339Nano)
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(text)
			state += " " + hex.EncodeToString(sum[:])
		}
		found[strings.TrimPrefix(path, w.folder)] = state
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return found
}

// age sets the times of all files and folders back, so that every later change shows.
func (w *world) age() {
	w.Helper()
	var paths []string
	err := filepath.WalkDir(w.folder, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	for _, path := range slices.Backward(paths) {
		if err := os.Chtimes(path, w.now, w.now); err != nil {
			w.Fatal(err)
		}
	}
}

// dry runs a command that must change nothing.
func (w *world) dry(code int, arguments ...string) {
	w.Helper()
	w.age()
	before, calls := w.snapshot(), len(w.calls)
	w.must(code, arguments...)
	if after := w.snapshot(); !maps.Equal(before, after) {
		w.Fatalf("%v changed the archive\nbefore: %v\nafter: %v", arguments, before, after)
	}
	if len(w.calls) > calls {
		w.Fatalf("%v called the hook: %v", arguments, w.calls)
	}
}

// likeDry is what a command prints, in the words of a dry run.
func (w *world) likeDry(arguments ...string) string {
	w.Helper()
	w.must(0, arguments...)
	return strings.NewReplacer("removed ", "would remove ", "emptied ", "would empty ").Replace(w.out)
}

func TestPruneDryRun(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 4)
	w.dry(0, "prune", "-daily", "2", "-dry-run")
	w.expect(0, "would remove shop-20260226T020000Z (1.5 KiB)\nwould remove shop-20260227T020000Z (1.5 KiB)\n2 dumps, 3.0 KiB\n")
}

func TestPruneDryRunWithNothingToDo(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 2)
	w.dry(0, "prune", "-dry-run", "-daily", "7")
	w.expect(0, "0 dumps, 0 B\n")
}

func TestPruneDryRunWithRulesForEachDatabase(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 45)
	w.fill("crm", 20)
	arguments := []string{"-daily", "3", "-weekly", "2", "-monthly", "2"}
	w.dry(0, append([]string{"prune", "-dry-run=true"}, arguments...)...)
	dry := w.out
	if real := w.likeDry(append([]string{"prune", "-dry-run=false"}, arguments...)...); dry != real {
		t.Fatalf("dry run:\n%sthe run:\n%s", dry, real)
	}
}

func TestPruneDryRunOfTheTrash(t *testing.T) {
	for name, trash := range map[string]int{"empty_before": 0, "filled_before": 3} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.fill("shop", 6)
			for day := range trash {
				w.must(0, "remove", "shop-"+w.now.AddDate(0, 0, -day).Format("20060102T150405Z"))
			}
			w.dry(0, "prune", "-daily", "2", "-empty-trash", "-dry-run")
			dry := w.out
			if !strings.Contains(dry, "would empty the trash: ") {
				t.Fatalf("dry run:\n%s", dry)
			}
			if real := w.likeDry("prune", "-daily", "2", "-empty-trash"); dry != real {
				t.Fatalf("dry run:\n%sthe run:\n%s", dry, real)
			}
		})
	}
}

func TestRemoveDryRun(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 3)
	w.dry(0, "remove", "-dry-run", "shop-20260301T020000Z", "shop-20260227T020000Z")
	w.expect(0, "would remove shop-20260301T020000Z (1.5 KiB)\nwould remove shop-20260227T020000Z (1.5 KiB)\n2 dumps, 3.0 KiB\n")
	w.must(0, "list")
	if lines := strings.Count(w.out, "\n"); lines != 3 {
		t.Fatalf("%d dumps are left:\n%s", lines, w.out)
	}
}

func TestDryRunsFailAsRunsDo(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 2)
	w.dry(1, "remove", "-dry-run", "shop-20260301T020000Z", "shop-20200101T020000Z")
	w.expect(1, "")
	w.dry(2, "prune", "-dry-run")
	w.expect(2, "")
	w.dry(2, "prune", "-dry-run", "-daily", "1", "shop")
	w.expect(2, "")
	w.dry(2, "remove", "-dry-run")
	w.expect(2, "")
}

func TestDryRunsDoNotNeedTheLock(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 3)
	if err := os.WriteFile(filepath.Join(w.folder, ".lock"), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.dry(0, "prune", "-daily", "1", "-empty-trash", "-dry-run")
	w.dry(0, "remove", "-dry-run", "shop-20260228T020000Z")
	w.must(3, "remove", "shop-20260228T020000Z")
}

func TestHooksThatFailDoNotMatterToDryRuns(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 3)
	w.hook = errors.New("exit status 7")
	w.dry(0, "prune", "-daily", "1", "-dry-run")
}

func TestOtherCommandsHaveNoDryRun(t *testing.T) {
	w := newWorld(t)
	w.fill("shop", 1)
	w.dry(2, "list", "-dry-run")
	w.dry(2, "add", "-dry-run", "shop", "dump")
	w.dry(2, "-dry-run", "prune", "-daily", "1")
}

func TestUsageNamesTheDryRun(t *testing.T) {
	w := newWorld(t)
	w.must(0, "-h")
	if strings.Count(w.out, "-dry-run") < 2 {
		t.Fatalf("usage:\n%s", w.out)
	}
}
