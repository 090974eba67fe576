// Package deliver posts webhooks to endpoints.
package deliver

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"example.org/courier/queue"
)

// Poster posts webhooks and signs them.
type Poster struct {
	// Client makes the requests; http.DefaultClient.
	Client *http.Client
	// Secret is the key of signatures. Without one, webhooks are not signed.
	Secret []byte
	// Now is the clock; time.Now.
	Now func() time.Time
}

// Deliver posts a job's payload to its endpoint. Every answer but 2xx is an error.
func (p *Poster) Deliver(ctx context.Context, job queue.Job) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, job.URL, bytes.NewReader(job.Payload))
	if err != nil {
		return fmt.Errorf("deliver: %w", err)
	}
	now := time.Now
	if p.Now != nil {
		now = p.Now
	}
	stamp := strconv.FormatInt(now().Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Courier-Id", job.ID)
	request.Header.Set("Courier-Event", job.Event)
	request.Header.Set("Courier-Attempt", strconv.Itoa(job.Attempt))
	request.Header.Set("Courier-Timestamp", stamp)
	if len(p.Secret) > 0 {
		request.Header.Set("Courier-Signature", "v1="+Sign(p.Secret, stamp, job.Payload))
	}
	client := p.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("deliver: %w", err)
	}
	defer response.Body.Close()
	// The connection is kept only if the answer was read.
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("deliver: %s answered %s", request.URL.Host, response.Status)
	}
	return nil
}

// Sign is the signature of a payload at a time, which receivers compute too.
func Sign(secret []byte, timestamp string, payload []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp))
	mac.Write([]byte{'.'})
	mac.Write(payload)
	return hex.EncodeToString(mac.Sum(nil))
}
