package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var now = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

func open(t *testing.T, folder string) *Archive {
	t.Helper()
	a, err := Open(folder, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dump")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAddAndRemove(t *testing.T) {
	folder := t.TempDir()
	a := open(t, folder)
	d, err := a.Add("shop", file(t, "abc"))
	if err != nil || d.Name != "shop-20260301T020000Z" || d.Bytes != 3 || len(d.SHA256) != 64 {
		t.Fatalf("%+v, %v", d, err)
	}
	if _, err := a.Add("shop", file(t, "abc")); !errors.Is(err, ErrExists) {
		t.Fatalf("added twice: %v", err)
	}
	if dumps := open(t, folder).Dumps(); len(dumps) != 1 || dumps[0] != d {
		t.Fatalf("%+v", dumps)
	}
	if err := a.Remove(d.Name); err != nil {
		t.Fatal(err)
	}
	if err := a.Remove(d.Name); !errors.Is(err, ErrNotFound) {
		t.Fatalf("removed twice: %v", err)
	}
	if names, bytes, err := a.Trash(); err != nil || len(names) != 1 || names[0] != d.Name || bytes != 3 {
		t.Fatalf("trash: %v, %d, %v", names, bytes, err)
	}
	if err := a.EmptyTrash(); err != nil {
		t.Fatal(err)
	}
	journal, _ := os.ReadFile(filepath.Join(folder, "journal.log"))
	wanted := "2026-03-01T02:00:00Z add shop-20260301T020000Z\n2026-03-01T02:00:00Z remove shop-20260301T020000Z\n" +
		"2026-03-01T02:00:00Z empty-trash -\n"
	if string(journal) != wanted {
		t.Fatalf("journal:\n%s", journal)
	}
}

func TestLock(t *testing.T) {
	a := open(t, t.TempDir())
	unlock, err := a.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Lock(); !errors.Is(err, ErrLocked) {
		t.Fatalf("locked twice: %v", err)
	}
	unlock()
	if _, err := a.Lock(); err != nil {
		t.Fatal(err)
	}
}
