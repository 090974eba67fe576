package retention

import (
	"strings"
	"testing"
	"time"

	"example.org/coldkeep/catalog"
)

func dumps(t *testing.T, names ...string) (dumps []catalog.Dump) {
	t.Helper()
	for _, name := range names {
		db, stamp, _ := strings.Cut(name, "-")
		taken, err := time.Parse("20060102T15", stamp)
		if err != nil {
			t.Fatal(err)
		}
		dumps = append(dumps, catalog.Dump{Name: name, Database: db, Taken: taken})
	}
	return dumps
}

func TestSuperfluous(t *testing.T) {
	all := dumps(t, "shop-20260131T02", "shop-20260227T02", "shop-20260228T02", "crm-20260228T03", "shop-20260228T14", "shop-20260301T02")
	for name, c := range map[string]struct {
		rules  Rules
		wanted string
	}{
		"a_day":          {Rules{Daily: 1}, "shop-20260131T02 shop-20260227T02 shop-20260228T02 shop-20260228T14"},
		"two_days":       {Rules{Daily: 2}, "shop-20260131T02 shop-20260227T02 shop-20260228T02"},
		"three_months":   {Rules{Monthly: 3}, "shop-20260227T02 shop-20260228T02"},
		"weeks_and_days": {Rules{Daily: 1, Weekly: 2}, "shop-20260227T02 shop-20260228T02 shop-20260228T14"},
		"everything":     {Rules{Daily: 99}, "shop-20260228T02"},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			for _, d := range c.rules.Superfluous(all) {
				names = append(names, d.Name)
			}
			if found := strings.Join(names, " "); found != c.wanted {
				t.Fatalf("found %s, wanted %s", found, c.wanted)
			}
		})
	}
}
