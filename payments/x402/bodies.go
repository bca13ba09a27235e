package x402

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// ChallengeV1 is the body of a 402. Message is our addition: stock clients ignore members that they do not know.
type ChallengeV1 struct {
	X402Version int              `json:"x402Version"`
	Error       Code             `json:"error"`
	Message     string           `json:"message,omitempty"`
	Accepts     []RequirementsV1 `json:"accepts"`
}

// challengeV1BytesMax is how long the body of a 402 may be. Much of it repeats for each way to pay, and clients that an agent
// drives put it into a model's context.
const challengeV1BytesMax = 6 << 10

// Encode returns the challenge as JSON, with the first ways to pay that fit. If not even one fits with its OutputSchema, these
// are left out. What is left out is listed at /.well-known/x402.
func (c ChallengeV1) Encode() ([]byte, error) {
	body, err := encodeJSON(c)
	if err != nil || len(body) <= challengeV1BytesMax {
		return body, err
	}
	plain := slices.Clone(c.Accepts)
	for i := range plain {
		plain[i].OutputSchema = nil
	}
	for _, accepts := range [][]RequirementsV1{c.Accepts, plain} {
		for n := len(accepts); n > 0; n-- {
			c.Accepts = accepts[:n]
			if body, err = encodeJSON(c); err != nil || len(body) <= challengeV1BytesMax {
				return body, err
			}
		}
	}
	return body, nil
}

// ChallengeV2 is the content of the PAYMENT-REQUIRED header.
type ChallengeV2 struct {
	X402Version int              `json:"x402Version"`
	Error       Code             `json:"error,omitempty"`
	Resource    ResourceV2       `json:"resource"`
	Accepts     []RequirementsV2 `json:"accepts"`
	// Extensions are by name, each {info, schema}: see the version 2 specification, section 5.1.2.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
}

// ResourceV2 describes what is sold, in a version 2 challenge.
type ResourceV2 struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
	MimeType    string `json:"mimeType,omitempty"`
}

// Notice is the gate's response to a payment that it will not charge again. It contains no offer, so that no client pays
// a second time.
type Notice struct {
	X402Version int    `json:"x402Version"`
	Error       Code   `json:"error"`
	Message     string `json:"message"`
}

// WriteNotice answers a request with a [Notice]. receipt is that of its settlement, or nil.
func WriteNotice(w http.ResponseWriter, status int, code Code, message string, receipt *Receipt) error {
	if status != http.StatusConflict || code == CodeInProgress {
		w.Header().Set(HeaderRetryAfter, strconv.Itoa(RetryAfterSeconds))
	}
	return WriteJSON(w, status, Notice{X402Version: Version1, Error: code, Message: message}, receipt)
}

// RetryAfterSeconds is about the block time of Base.
const RetryAfterSeconds = 2

// WriteJSON answers a request with v, and with a receipt unless it is nil.
func WriteJSON(w http.ResponseWriter, status int, v any, receipt *Receipt) error {
	body, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return WriteBody(w, status, body, receipt)
}

func encodeJSON(v any) ([]byte, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding response: %w", err)
	}
	return body.Bytes(), nil
}

// WriteBody is [WriteJSON] of JSON that is already encoded.
func WriteBody(w http.ResponseWriter, status int, body []byte, receipt *Receipt) error {
	h := w.Header()
	if receipt != nil {
		if err := receipt.Set(h); err != nil {
			return err
		}
	}
	ExposeHeaders(h)
	h.Set(HeaderCacheControl, "no-store")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// An error here means that the client's connection is gone: there is nobody to report it to.
	_, _ = w.Write(body)
	return nil
}
