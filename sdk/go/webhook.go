package turnpike

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Event is the content of a webhook.
type Event struct {
	// ID is the same in all deliveries of the event.
	ID string `json:"id"`
	// Object says what happened, such as event.crawl.completed.
	Object string `json:"object"`
	// Timestamp is when the delivery began, in Unix milliseconds.
	Timestamp int64 `json:"timestamp"`
	// DeliveryAttempt is which try this is, of how many: 1/8.
	DeliveryAttempt string `json:"delivery_attempt"`
	// Data is the object of the event.
	Data json.RawMessage `json:"data"`
}

const webhookAge = 5 * time.Minute // how much a webhook's clock may differ from ours

// VerifyWebhook checks the signature of a webhook (Standard Webhooks) and returns the event. The secret, whsec_…, is that
// of [Client.GetWebhookSecret], or of the crawl or batch that a wallet created. The body is the raw one.
func VerifyWebhook(secret string, header http.Header, body []byte) (*Event, error) {
	return verifyWebhook(secret, header, body, time.Now())
}

func verifyWebhook(secret string, header http.Header, body []byte, now time.Time) (*Event, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, errors.New("the webhook secret: want whsec_ and base64")
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > webhookAge {
		return nil, fmt.Errorf("%w: webhook-timestamp %q is not within %s of now", ErrWebhook, timestamp, webhookAge)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	want := mac.Sum(nil)
	for signature := range strings.FieldsSeq(header.Get("webhook-signature")) { // two while the secret is being replaced
		version, value, _ := strings.Cut(signature, ",")
		got, err := base64.StdEncoding.DecodeString(value)
		if err == nil && version == "v1" && hmac.Equal(got, want) {
			var event Event
			if err := json.Unmarshal(body, &event); err != nil {
				return nil, fmt.Errorf("reading the webhook: %w", err)
			}
			return &event, nil
		}
	}
	return nil, ErrWebhook
}
