package x402

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// ChallengeV1 is the body of a 402. Message is our addition: stock clients ignore members that they do not know.
type ChallengeV1 struct {
	X402Version int              `json:"x402Version"`
	Error       Code             `json:"error"`
	Message     string           `json:"message,omitempty"`
	Accepts     []RequirementsV1 `json:"accepts"`
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
	h := w.Header()
	if receipt != nil {
		if err := receipt.Set(h); err != nil {
			return err
		}
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encoding response: %w", err)
	}
	ExposeHeaders(h)
	h.Set(HeaderCacheControl, "no-store")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	// An error here means that the client's connection is gone: there is nobody to report it to.
	_, _ = w.Write(body.Bytes())
	return nil
}
