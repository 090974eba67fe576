package client_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"example.org/fleet/api"
	"example.org/fleet/client"
	"example.org/fleet/device"
	"example.org/fleet/store"
)

func newClient(t *testing.T) (*client.Client, *store.Store) {
	t.Helper()
	devices := store.New()
	server := httptest.NewServer((&api.Server{Store: devices}).Handler())
	t.Cleanup(server.Close)
	return &client.Client{Server: server.URL + "/"}, devices
}

func TestClient(t *testing.T) {
	c, _ := newClient(t)
	made, err := c.Register(t.Context(), api.Registration{Name: "Gate 4", Site: "berlin", Tags: []string{"gate"}})
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := c.SetStatus(t.Context(), made.ID, device.Online); err != nil || changed.Status != device.Online {
		t.Fatalf("%+v, %v", changed, err)
	}
	filter := device.Filter{Site: "berlin", Status: device.Online, Tag: "gate"}
	if found, err := c.List(t.Context(), filter); err != nil || len(found) != 1 || found[0].ID != made.ID {
		t.Fatalf("%+v, %v", found, err)
	}
	if err := c.Remove(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	var refused *client.Error
	if _, err := c.Get(t.Context(), made.ID); !errors.As(err, &refused) || refused.Status != 404 || refused.Code != "not_found" {
		t.Fatalf("%v", err)
	}
}
