// Package retention decides which dumps are kept.
package retention

import (
	"fmt"
	"time"

	"example.org/coldkeep/catalog"
)

// Rules say how many days, weeks and months are kept of each database.
type Rules struct {
	Daily   int
	Weekly  int
	Monthly int
}

// None says whether the rules keep nothing at all.
func (r Rules) None() bool { return r.Daily <= 0 && r.Weekly <= 0 && r.Monthly <= 0 }

// Superfluous finds the dumps that no rule keeps, in the order in which they are given: the oldest first.
func (r Rules) Superfluous(dumps []catalog.Dump) []catalog.Dump {
	kept := map[string]bool{}
	for _, rule := range []struct {
		count  int
		period func(time.Time) string
	}{
		{r.Daily, func(t time.Time) string { return t.Format(time.DateOnly) }},
		{r.Weekly, func(t time.Time) string { year, week := t.ISOWeek(); return fmt.Sprintf("%d-W%02d", year, week) }},
		{r.Monthly, func(t time.Time) string { return t.Format("2006-01") }},
	} {
		periods := map[string]int{}
		seen := map[string]bool{}
		// From the latest to the oldest: the first dump of a period is its last.
		for i := len(dumps) - 1; i >= 0; i-- {
			d := dumps[i]
			period := d.Database + " " + rule.period(d.Taken.UTC())
			if seen[period] || periods[d.Database] >= rule.count {
				continue
			}
			seen[period] = true
			periods[d.Database]++
			kept[d.Name] = true
		}
	}
	var superfluous []catalog.Dump
	for _, d := range dumps {
		if !kept[d.Name] {
			superfluous = append(superfluous, d)
		}
	}
	return superfluous
}
