// Package client talks to the inventory.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"example.org/fleet/api"
	"example.org/fleet/device"
)

// Client talks to one server.
type Client struct {
	// Server is its address, such as http://fleet.internal:8070.
	Server string
	// HTTP makes the requests; http.DefaultClient.
	HTTP *http.Client
}

// Error is an answer of the server that is an error.
type Error struct {
	Status  int
	Code    string
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("fleet: %s (%s)", e.Message, e.Code) }

// List finds all devices that a filter matches, the newest registration first.
func (c *Client) List(ctx context.Context, filter device.Filter) ([]device.Device, error) {
	query := url.Values{}
	if filter.Site != "" {
		query.Set("site", filter.Site)
	}
	if filter.Status != "" {
		query.Set("status", string(filter.Status))
	}
	if filter.Tag != "" {
		query.Set("tag", filter.Tag)
	}
	var list api.List
	if err := c.do(ctx, http.MethodGet, "/v1/devices?"+query.Encode(), nil, &list); err != nil {
		return nil, err
	}
	return list.Devices, nil
}

// Get finds one device.
func (c *Client) Get(ctx context.Context, id string) (device.Device, error) {
	var d device.Device
	return d, c.do(ctx, http.MethodGet, "/v1/devices/"+url.PathEscape(id), nil, &d)
}

// Register adds a device.
func (c *Client) Register(ctx context.Context, wanted api.Registration) (device.Device, error) {
	var d device.Device
	return d, c.do(ctx, http.MethodPost, "/v1/devices", wanted, &d)
}

// SetStatus changes the status of a device.
func (c *Client) SetStatus(ctx context.Context, id string, status device.Status) (device.Device, error) {
	var d device.Device
	return d, c.do(ctx, http.MethodPatch, "/v1/devices/"+url.PathEscape(id), api.Change{Status: &status}, &d)
}

// Remove takes a device out of the inventory.
func (c *Client) Remove(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, "/v1/devices/"+url.PathEscape(id), nil, nil)
}

func (c *Client) do(ctx context.Context, method, path string, body, into any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("fleet: %w", err)
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.Server, "/")+path, sent)
	if err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	sender := c.HTTP
	if sender == nil {
		sender = http.DefaultClient
	}
	response, err := sender.Do(request)
	if err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode > 299 {
		var refused api.Error
		if err := json.NewDecoder(response.Body).Decode(&refused); err != nil {
			refused.Error.Code, refused.Error.Message = "internal", response.Status
		}
		return &Error{Status: response.StatusCode, Code: refused.Error.Code, Message: refused.Error.Message}
	}
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	return nil
}
