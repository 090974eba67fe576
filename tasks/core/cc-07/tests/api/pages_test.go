package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/fleet/api"
	"example.org/fleet/device"
)

// page is an answer as any client sees it.
type page struct {
	Devices []device.Device `json:"devices"`
	Next    *string         `json:"next_cursor"`
}

func fill(t *testing.T, s *api.Server, devices ...device.Device) {
	t.Helper()
	for _, d := range devices {
		if err := s.Store.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
}

// made is so many devices, each a minute older than the one before.
func made(count int) []device.Device {
	var devices []device.Device
	for i := range count {
		devices = append(devices, device.Device{
			ID: fmt.Sprintf("d%03d", i), Name: "Gate", Site: []string{"berlin", "lyon"}[i%2], Status: device.Online,
			Tags: []string{"gate"}, Registered: start.Add(-time.Duration(i) * time.Minute),
		})
	}
	return devices
}

func ids(devices []device.Device) []string {
	found := []string{}
	for _, d := range devices {
		found = append(found, d.ID)
	}
	return found
}

func get(t *testing.T, s *api.Server, query string) page {
	t.Helper()
	var p page
	request(t, s, "GET", "/v1/devices?"+query, "", http.StatusOK, &p)
	return p
}

// cursor adds the cursor of a page to a query.
func cursor(t *testing.T, p page, query string) string {
	t.Helper()
	if p.Next == nil || *p.Next == "" {
		t.Fatalf("there is no next page after %v", ids(p.Devices))
	}
	return query + "&cursor=" + url.QueryEscape(*p.Next)
}

// walk goes through all pages and gives their sizes.
func walk(t *testing.T, s *api.Server, query string, between func(page)) (found []string, sizes []int) {
	t.Helper()
	at := query
	for len(sizes) <= 500 {
		p := get(t, s, at)
		found, sizes = append(found, ids(p.Devices)...), append(sizes, len(p.Devices))
		if p.Next == nil {
			return found, sizes
		}
		if between != nil {
			between(p)
		}
		at = cursor(t, p, query)
	}
	t.Fatal("there is no end of pages")
	return nil, nil
}

func expectIDs(t *testing.T, found []string, wanted []device.Device) {
	t.Helper()
	sorted := slices.Clone(wanted)
	slices.SortFunc(sorted, device.Newest)
	if !slices.Equal(found, ids(sorted)) {
		t.Fatalf("found %q\nwanted %q", found, ids(sorted))
	}
}

func expectSizes(t *testing.T, found []int, wanted ...int) {
	t.Helper()
	if !slices.Equal(found, wanted) {
		t.Fatalf("pages of %v, wanted %v", found, wanted)
	}
}

func TestPagesOfFifty(t *testing.T) {
	s := newServer()
	devices := made(120)
	fill(t, s, devices...)
	found, sizes := walk(t, s, "", nil)
	expectSizes(t, sizes, 50, 50, 20)
	expectIDs(t, found, devices)
}

func TestPagesOfALimit(t *testing.T) {
	for limit, wanted := range map[int][]int{1: slices.Repeat([]int{1}, 6), 4: {4, 2}, 5: {5, 1}, 6: {6}, 7: {6}, 200: {6}} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			s := newServer()
			devices := made(6)
			fill(t, s, devices...)
			found, sizes := walk(t, s, fmt.Sprintf("limit=%d", limit), nil)
			expectSizes(t, sizes, wanted...)
			expectIDs(t, found, devices)
		})
	}
}

func TestTheLargestPage(t *testing.T) {
	s := newServer()
	fill(t, s, made(250)...)
	_, sizes := walk(t, s, "limit=200", nil)
	expectSizes(t, sizes, 200, 50)
}

func TestTheLastPageIsNotEmpty(t *testing.T) {
	s := newServer()
	fill(t, s, made(100)...)
	_, sizes := walk(t, s, "", nil)
	expectSizes(t, sizes, 50, 50)
}

func TestNoDevices(t *testing.T) {
	s := newServer()
	for _, query := range []string{"", "limit=10", "site=rome&limit=10"} {
		p := get(t, s, query)
		if p.Devices == nil || len(p.Devices) > 0 || p.Next != nil {
			t.Fatalf("%q: %+v", query, p)
		}
	}
}

func TestBadLimits(t *testing.T) {
	s := newServer()
	fill(t, s, made(3)...)
	for name, limit := range map[string]string{
		"zero": "0", "negative": "-1", "too_large": "201", "huge": "99999999999999999999", "word": "all", "fraction": "1.5", "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			expectCode(t, s, "GET", "/v1/devices?limit="+limit, "", http.StatusBadRequest, "invalid_parameter")
		})
	}
}

func TestPagesOfDevicesOfOneTime(t *testing.T) {
	s := newServer()
	devices := made(30)
	for i := range devices {
		devices[i].Registered = start
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(devices), func(i, j int) { devices[i], devices[j] = devices[j], devices[i] })
	fill(t, s, devices...)
	found, _ := walk(t, s, "limit=7", nil)
	expectIDs(t, found, devices)
}

func TestPagesOfDevicesWithinASecond(t *testing.T) {
	s := newServer()
	devices := made(20)
	for i := range devices {
		// Imported devices come with the time zone of their site.
		zone := time.FixedZone("", (i%5-2)*3600)
		devices[i].Registered = start.Add(time.Duration(i*37%20) * time.Nanosecond).In(zone)
	}
	fill(t, s, devices...)
	found, _ := walk(t, s, "limit=3", nil)
	expectIDs(t, found, devices)
}

func TestPagesOfOddIDs(t *testing.T) {
	s := newServer()
	var devices []device.Device
	for _, id := range []string{"a,b", "a|b", "a:b", "a/b", "a b", "a&b=c", "é", "\"a\"", "a_b", "a;b", "2026-02-01T09:00:00Z"} {
		devices = append(devices, device.Device{ID: id, Name: "Gate", Site: "berlin", Status: device.Online, Registered: start})
	}
	fill(t, s, devices...)
	found, sizes := walk(t, s, "limit=1", nil)
	expectSizes(t, sizes, slices.Repeat([]int{1}, len(devices))...)
	expectIDs(t, found, devices)
}

func TestPagesOfAFilteredList(t *testing.T) {
	s := newServer()
	devices := made(25)
	fill(t, s, devices...)
	var wanted []device.Device
	for _, d := range devices {
		if d.Site == "lyon" {
			wanted = append(wanted, d)
		}
	}
	found, sizes := walk(t, s, "site=lyon&status=online&tag=gate&limit=4", nil)
	expectSizes(t, sizes, 4, 4, 4)
	expectIDs(t, found, wanted)
}

func TestDevicesComeBetweenPages(t *testing.T) {
	s := newServer()
	devices := made(20)
	fill(t, s, devices...)
	n := 0
	found, _ := walk(t, s, "limit=6", func(page) {
		for range 4 {
			n++
			fill(t, s, device.Device{
				ID: fmt.Sprintf("new-%d", n), Name: "Gate", Site: "berlin", Status: device.Online,
				Registered: start.Add(time.Duration(n) * time.Hour),
			})
		}
	})
	expectIDs(t, found, devices)
}

func TestDevicesGoBetweenPages(t *testing.T) {
	s := newServer()
	devices := made(20)
	fill(t, s, devices...)
	gone := map[string]bool{}
	remove := func(id string) {
		gone[id] = true
		if err := s.Store.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	found, _ := walk(t, s, "limit=6", func(p page) {
		// The first and the last of the page, and the second of the next one.
		remove(p.Devices[0].ID)
		remove(p.Devices[len(p.Devices)-1].ID)
		last, _ := strconv.Atoi(strings.TrimPrefix(p.Devices[len(p.Devices)-1].ID, "d"))
		if last+2 < len(devices) && !gone[devices[last+2].ID] {
			remove(devices[last+2].ID)
		}
	})
	seen := map[string]int{}
	for _, id := range found {
		seen[id]++
	}
	for _, d := range devices {
		if n := seen[d.ID]; n > 1 || (n == 0 && !gone[d.ID]) {
			t.Errorf("%s came %d times", d.ID, n)
		}
	}
}

func TestAllDevicesOfThePageAreGone(t *testing.T) {
	s := newServer()
	devices := made(10)
	fill(t, s, devices...)
	first := get(t, s, "limit=4")
	for _, d := range devices[:5] {
		if err := s.Store.Remove(t.Context(), d.ID); err != nil {
			t.Fatal(err)
		}
	}
	expectIDs(t, ids(get(t, s, cursor(t, first, "limit=4")).Devices), devices[5:9])
	for _, d := range devices[5:] {
		if err := s.Store.Remove(t.Context(), d.ID); err != nil {
			t.Fatal(err)
		}
	}
	if p := get(t, s, cursor(t, first, "limit=4")); p.Devices == nil || len(p.Devices) > 0 || p.Next != nil {
		t.Fatalf("%+v", p)
	}
}

func TestTheLimitMayChangeBetweenPages(t *testing.T) {
	s := newServer()
	devices := made(10)
	fill(t, s, devices...)
	second := get(t, s, cursor(t, get(t, s, "limit=2"), "limit=5"))
	expectIDs(t, ids(second.Devices), devices[2:7])
	third := get(t, s, cursor(t, second, ""))
	expectIDs(t, ids(third.Devices), devices[7:])
}

func TestACursorIsGoodForMoreThanOneRequest(t *testing.T) {
	s := newServer()
	devices := made(10)
	fill(t, s, devices...)
	query := cursor(t, get(t, s, "limit=4"), "limit=4")
	for range 2 {
		expectIDs(t, ids(get(t, s, query).Devices), devices[4:8])
	}
}

func TestCursorsOutliveTheServer(t *testing.T) {
	s := newServer()
	devices := made(10)
	fill(t, s, devices...)
	query := cursor(t, get(t, s, "limit=4"), "limit=4")
	next := newServer()
	fill(t, next, devices...)
	expectIDs(t, ids(get(t, next, query).Devices), devices[4:8])
}

func TestCursorsOfOtherLists(t *testing.T) {
	for name, queries := range map[string][2]string{
		"other_site": {"site=berlin", "site=lyon"}, "without_site": {"site=berlin", ""}, "with_status": {"", "status=online"},
		"other_status": {"status=online", "status=offline"}, "other_tag": {"tag=gate", "tag=door"},
		"tag_for_site": {"site=berlin", "tag=berlin"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			devices := made(10)
			fill(t, s, devices...)
			first := get(t, s, queries[0]+"&limit=1")
			expectCode(t, s, "GET", "/v1/devices?"+cursor(t, first, queries[1]+"&limit=1"), "", http.StatusBadRequest, "invalid_cursor")
		})
	}
}

func TestBadCursors(t *testing.T) {
	s := newServer()
	fill(t, s, made(10)...)
	for name, text := range map[string]string{
		"words": "the second page", "number": "2", "signs": "!§$%&/()", "id": "d003", "time": "2026-02-01T08:57:00Z", "letters": "YWJj",
	} {
		t.Run(name, func(t *testing.T) {
			expectCode(t, s, "GET", "/v1/devices?limit=2&cursor="+url.QueryEscape(text), "", http.StatusBadRequest, "invalid_cursor")
		})
	}
}

func TestParametersOfPagesAreGivenOnce(t *testing.T) {
	s := newServer()
	fill(t, s, made(10)...)
	expectCode(t, s, "GET", "/v1/devices?limit=2&limit=3", "", http.StatusBadRequest, "invalid_parameter")
	expectCode(t, s, "GET", "/v1/devices?limit=2&offset=3", "", http.StatusBadRequest, "invalid_parameter")
}
