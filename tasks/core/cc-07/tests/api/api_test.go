package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/fleet/api"
	"example.org/fleet/device"
	"example.org/fleet/store"
)

var start = time.Date(2026, 2, 1, 9, 0, 0, 0, time.UTC)

// newServer counts the ids of devices up and registers each a minute after the one before.
func newServer() *api.Server {
	last := 0
	return &api.Server{
		Store: store.New(),
		Now:   func() time.Time { return start.Add(time.Duration(last) * time.Minute) },
		NewID: func() string { last++; return fmt.Sprintf("device-%d", last) },
	}
}

func request(t *testing.T, s *api.Server, method, path, body string, wanted int, into any) {
	t.Helper()
	recorder := httptest.NewRecorder()
	s.Handler().ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader(body)))
	if recorder.Code != wanted {
		t.Fatalf("%s %s: %d %s, wanted %d", method, path, recorder.Code, recorder.Body, wanted)
	}
	if into != nil {
		if err := json.Unmarshal(recorder.Body.Bytes(), into); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
}

func expectCode(t *testing.T, s *api.Server, method, path, body string, status int, code string) {
	t.Helper()
	var refused api.Error
	request(t, s, method, path, body, status, &refused)
	if refused.Error.Code != code || refused.Error.Message == "" {
		t.Fatalf("%s %s: %+v, wanted %s", method, path, refused.Error, code)
	}
}

func TestRegisterChangeRemove(t *testing.T) {
	s := newServer()
	var d device.Device
	request(t, s, "POST", "/v1/devices", `{"name":"Gate 4","site":"berlin","tags":["gate"]}`, http.StatusCreated, &d)
	if d.ID != "device-1" || d.Status != device.Unknown {
		t.Fatalf("registered %+v", d)
	}
	request(t, s, "PATCH", "/v1/devices/device-1", `{"status":"online"}`, http.StatusOK, &d)
	request(t, s, "GET", "/v1/devices/device-1", "", http.StatusOK, &d)
	if d.Status != device.Online || d.Name != "Gate 4" {
		t.Fatalf("changed to %+v", d)
	}
	request(t, s, "DELETE", "/v1/devices/device-1", "", http.StatusNoContent, nil)
	expectCode(t, s, "GET", "/v1/devices/device-1", "", http.StatusNotFound, "not_found")
}

func TestList(t *testing.T) {
	s := newServer()
	for _, site := range []string{"berlin", "lyon", "berlin"} {
		request(t, s, "POST", "/v1/devices", `{"name":"Gate","site":"`+site+`","tags":["`+site+`-gate"]}`, http.StatusCreated, nil)
	}
	request(t, s, "PATCH", "/v1/devices/device-1", `{"status":"offline"}`, http.StatusOK, nil)
	for query, wanted := range map[string]string{
		"":                            "device-3 device-2 device-1",
		"?site=berlin":                "device-3 device-1",
		"?site=berlin&status=offline": "device-1",
		"?tag=lyon-gate":              "device-2",
		"?site=rome":                  "",
	} {
		var list api.List
		request(t, s, "GET", "/v1/devices"+query, "", http.StatusOK, &list)
		if list.Devices == nil {
			t.Errorf("%q: devices is null", query)
		}
		var ids []string
		for _, d := range list.Devices {
			ids = append(ids, d.ID)
		}
		if found := strings.Join(ids, " "); found != wanted {
			t.Errorf("%q: %s, wanted %s", query, found, wanted)
		}
	}
}

func TestRefusals(t *testing.T) {
	s := newServer()
	expectCode(t, s, "POST", "/v1/devices", `{`, http.StatusBadRequest, "invalid_body")
	expectCode(t, s, "POST", "/v1/devices", `{"name":"Gate","site":"Berlin"}`, http.StatusBadRequest, "invalid_body")
	expectCode(t, s, "POST", "/v1/devices", `{"name":"Gate","place":"berlin"}`, http.StatusBadRequest, "invalid_body")
	expectCode(t, s, "GET", "/v1/devices?status=broken", "", http.StatusBadRequest, "invalid_parameter")
	expectCode(t, s, "GET", "/v1/devices?colour=red", "", http.StatusBadRequest, "invalid_parameter")
	expectCode(t, s, "GET", "/v1/devices?site=a&site=b", "", http.StatusBadRequest, "invalid_parameter")
	expectCode(t, s, "DELETE", "/v1/devices/none", "", http.StatusNotFound, "not_found")
}
