// Package catalog keeps the dumps of an archive and the list of them.
package catalog

import (
	"cmp"
	"fmt"
	"regexp"
	"time"
)

// Dump is one dump of a database.
type Dump struct {
	Name     string    `json:"name"`
	Database string    `json:"database"`
	Taken    time.Time `json:"taken"`
	Bytes    int64     `json:"bytes"`
	SHA256   string    `json:"sha256"`
}

const stamp = "20060102T150405Z"

var database = regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`)

// NewName is the name of a dump of a database at a time.
func NewName(db string, taken time.Time) (string, error) {
	if !database.MatchString(db) {
		return "", fmt.Errorf("%q is no name of a database", db)
	}
	return db + "-" + taken.UTC().Format(stamp), nil
}

func older(a, b Dump) int {
	return cmp.Or(a.Taken.Compare(b.Taken), cmp.Compare(a.Name, b.Name))
}
