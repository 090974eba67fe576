// Package device says what a device is.
package device

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Status says how a device is.
type Status string

// The statuses of a device.
const (
	Unknown  Status = "unknown"
	Online   Status = "online"
	Offline  Status = "offline"
	Disabled Status = "disabled"
)

// ParseStatus reads a status.
func ParseStatus(text string) (Status, error) {
	switch s := Status(text); s {
	case Unknown, Online, Offline, Disabled:
		return s, nil
	default:
		return "", fmt.Errorf("there is no status %q", text)
	}
}

// Device is a machine at one of our sites.
type Device struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Site       string    `json:"site"`
	Model      string    `json:"model"`
	Status     Status    `json:"status"`
	Tags       []string  `json:"tags"`
	Registered time.Time `json:"registered"`
	Changed    time.Time `json:"changed"`
}

var site = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Check says what is wrong with a device.
func (d Device) Check() error {
	switch {
	case strings.TrimSpace(d.Name) == "":
		return errors.New("name is missing")
	case len(d.Name) > 120:
		return errors.New("name is longer than 120 bytes")
	case !site.MatchString(d.Site):
		return fmt.Errorf("site %q is no short name", d.Site)
	case len(d.Tags) > 20:
		return errors.New("there are more than 20 tags")
	}
	for _, tag := range d.Tags {
		if tag == "" || strings.ContainsAny(tag, " ,") {
			return fmt.Errorf("tag %q is empty or has blanks or commas", tag)
		}
	}
	_, err := ParseStatus(string(d.Status))
	return err
}

// Clone is a copy that shares nothing with the device.
func (d Device) Clone() Device {
	d.Tags = append([]string{}, d.Tags...)
	return d
}

// Filter narrows a list. Empty fields do not.
type Filter struct {
	Site   string
	Status Status
	Tag    string
}

// Matches says whether a device is wanted.
func (f Filter) Matches(d Device) bool {
	return (f.Site == "" || f.Site == d.Site) &&
		(f.Status == "" || f.Status == d.Status) &&
		(f.Tag == "" || slices.Contains(d.Tags, f.Tag))
}

// Newest orders devices as lists have them: the newest registration first, those of one time by id.
func Newest(a, b Device) int {
	if order := b.Registered.Compare(a.Registered); order != 0 {
		return order
	}
	return strings.Compare(a.ID, b.ID)
}
