package response

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Refuser writes refusals in the service contract's standard form.
type Refuser struct {
	docsURL string // a path is relative to the origin of the request
	now     func() time.Time

	// TextBelow is the path below which errors also have success and error: see [ErrorObject]. "": none.
	TextBelow string

	// Origin returns the scheme and host of this service as the client sees it.
	Origin func(*http.Request) string
}

// NewRefuser returns a refuser whose errors link to docsURL.
func NewRefuser(docsURL string, now func() time.Time) *Refuser {
	return &Refuser{docsURL: strings.TrimSuffix(docsURL, "/"), Origin: request.OriginOf, now: now}
}

// typeURL returns where a kind of errors is documented.
func (e *Refuser) typeURL(r *http.Request, slug string) string {
	docs := e.docsURL
	if docs == "" || request.IsPath(docs) {
		docs = e.Origin(r) + docs
	}
	return docs + "/api-reference/errors/" + slug
}

// ErrorObject is the body of an error response.
type ErrorObject struct {
	ID       string         `json:"id"`
	Object   string         `json:"object"`
	Code     string         `json:"code"`
	Type     string         `json:"type"`
	Status   int            `json:"status"`
	Title    string         `json:"title"`
	Detail   string         `json:"detail"`
	Created  int64          `json:"created"`
	Metadata map[string]any `json:"metadata"`

	// Success and Error, the same as Detail, are for clients of other services.
	Success *bool  `json:"success,omitempty"`
	Error   string `json:"error,omitempty"`
}

// titleOf returns the status as text, with the same words as the upstream in this repository.
func titleOf(status int) string {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return "Payload Too Large"
	default:
		return http.StatusText(status)
	}
}

// Write responds with a refusal.
func (e *Refuser) Write(w http.ResponseWriter, r *http.Request, no *Refusal) error {
	contentType, body, err := e.body(r, no)
	if err != nil {
		return err
	}
	h := w.Header()
	AllowOrigins(h, true)
	h.Set(request.IDHeader, request.ID(r))
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	if no.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer") // RFC 9110, section 11.6.1
	}
	if no.allow != "" {
		h.Set("Allow", no.allow)
	}
	if no.passed != nil && no.passed.RetryAfter != "" {
		h.Set("Retry-After", no.passed.RetryAfter)
	}
	if no.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(no.RetryAfter.Seconds())))
	}
	w.WriteHeader(no.Status)
	if r.Method == http.MethodHead {
		return nil
	}
	_, _ = w.Write(body) // an error means that the client has left
	return nil
}

func (e *Refuser) body(r *http.Request, no *Refusal) (contentType string, body []byte, err error) {
	if no.passed != nil {
		return no.passed.Type, no.passed.Body, nil //nolint:nilerr // the error is the response
	}
	if no.Metadata == nil {
		no.Metadata = map[string]any{}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // people read it too
	object := &ErrorObject{
		ID: token.New("error"), Object: "error", Code: no.Code,
		Type:   e.typeURL(r, no.Slug),
		Status: no.Status, Title: titleOf(no.Status), Detail: no.Detail,
		Created: e.now().Unix(), Metadata: no.Metadata,
	}
	if e.TextBelow != "" && strings.HasPrefix(r.URL.Path, e.TextBelow) {
		object.Success, object.Error = new(false), no.Detail
	}
	if err := enc.Encode(object); err != nil {
		return "", nil, fmt.Errorf("writing error object: %w", err)
	}
	return "application/json", buf.Bytes(), nil
}
