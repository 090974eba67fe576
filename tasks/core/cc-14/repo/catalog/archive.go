package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Errors of an archive.
var (
	ErrLocked   = errors.New("another command is changing the archive")
	ErrNotFound = errors.New("no such dump")
	ErrExists   = errors.New("the dump is there already")
)

// Archive is a folder of dumps.
type Archive struct {
	folder string
	now    func() time.Time
	dumps  []Dump
}

// Open reads the catalog of a folder. An empty folder is an archive without dumps.
func Open(folder string, now func() time.Time) (*Archive, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open the archive: %s is no folder", folder)
	}
	a := &Archive{folder: folder, now: now}
	text, err := os.ReadFile(a.path("catalog.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a, nil
	case err != nil:
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	if err := json.Unmarshal(text, &a.dumps); err != nil {
		return nil, fmt.Errorf("open the archive: catalog.json: %w", err)
	}
	slices.SortFunc(a.dumps, older)
	return a, nil
}

// Lock keeps other commands from changing the archive until unlock is called.
func (a *Archive) Lock() (unlock func(), err error) {
	path := a.path(".lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("lock the archive: %w", err)
	}
	_, err = file.WriteString(strconv.Itoa(os.Getpid()) + "\n")
	if err := errors.Join(err, file.Close()); err != nil {
		os.Remove(path)
		return nil, fmt.Errorf("lock the archive: %w", err)
	}
	return func() { os.Remove(path) }, nil
}

// Dumps is what the archive holds, the oldest first.
func (a *Archive) Dumps() []Dump { return slices.Clone(a.dumps) }

// Find looks for a dump.
func (a *Archive) Find(name string) (Dump, error) {
	for _, d := range a.dumps {
		if d.Name == name {
			return d, nil
		}
	}
	return Dump{}, fmt.Errorf("%s: %w", name, ErrNotFound)
}

// Add copies a file into the archive as a dump of a database that was taken now.
func (a *Archive) Add(db, file string) (Dump, error) {
	taken := a.now().UTC().Truncate(time.Second)
	name, err := NewName(db, taken)
	if err != nil {
		return Dump{}, err
	}
	if _, err := a.Find(name); err == nil {
		return Dump{}, fmt.Errorf("%s: %w", name, ErrExists)
	}
	from, err := os.Open(file)
	if err != nil {
		return Dump{}, fmt.Errorf("add %s: %w", name, err)
	}
	defer from.Close()
	if err := os.MkdirAll(a.path("dumps"), 0o755); err != nil {
		return Dump{}, fmt.Errorf("add %s: %w", name, err)
	}
	to, err := os.OpenFile(a.path("dumps", name+".dump"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return Dump{}, fmt.Errorf("add %s: %w", name, err)
	}
	digest := sha256.New()
	size, err := io.Copy(io.MultiWriter(to, digest), from)
	if err := errors.Join(err, to.Close()); err != nil {
		os.Remove(to.Name())
		return Dump{}, fmt.Errorf("add %s: %w", name, err)
	}
	d := Dump{Name: name, Database: db, Taken: taken, Bytes: size, SHA256: hex.EncodeToString(digest.Sum(nil))}
	a.dumps = append(a.dumps, d)
	slices.SortFunc(a.dumps, older)
	return d, errors.Join(a.save(), a.note("add", name))
}

// Remove moves a dump to the trash.
func (a *Archive) Remove(name string) error {
	if _, err := a.Find(name); err != nil {
		return err
	}
	if err := os.MkdirAll(a.path("trash"), 0o755); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	err := os.Rename(a.path("dumps", name+".dump"), a.path("trash", name+".dump"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	a.dumps = slices.DeleteFunc(a.dumps, func(d Dump) bool { return d.Name == name })
	return errors.Join(a.save(), a.note("remove", name))
}

// Trash lists the names of the dumps in the trash, and how many bytes they take.
func (a *Archive) Trash() (names []string, bytes int64, err error) {
	files, err := os.ReadDir(a.path("trash"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the trash: %w", err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			return nil, 0, fmt.Errorf("read the trash: %w", err)
		}
		name := file.Name()
		names = append(names, name[:len(name)-len(filepath.Ext(name))])
		bytes += info.Size()
	}
	return names, bytes, nil
}

// EmptyTrash deletes what is in the trash.
func (a *Archive) EmptyTrash() error {
	if err := os.RemoveAll(a.path("trash")); err != nil {
		return fmt.Errorf("empty the trash: %w", err)
	}
	return a.note("empty-trash", "-")
}

// note adds a line to the journal.
func (a *Archive) note(what, name string) error {
	journal, err := os.OpenFile(a.path("journal.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	_, err = fmt.Fprintf(journal, "%s %s %s\n", a.now().UTC().Format(time.RFC3339), what, name)
	return errors.Join(err, journal.Close())
}

// save replaces the catalog as a whole.
func (a *Archive) save() error {
	text, err := json.MarshalIndent(a.dumps, "", "  ")
	if err != nil {
		return fmt.Errorf("write the catalog: %w", err)
	}
	fresh := a.path("catalog.json.new")
	if err := os.WriteFile(fresh, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the catalog: %w", err)
	}
	if err := os.Rename(fresh, a.path("catalog.json")); err != nil {
		return fmt.Errorf("write the catalog: %w", err)
	}
	return nil
}

func (a *Archive) path(names ...string) string {
	return filepath.Join(append([]string{a.folder}, names...)...)
}
