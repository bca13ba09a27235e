package price

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// readBody reads the body of r for its price and puts it back. It refuses what an upstream might read differently: a
// content encoding, which the edge would have to undo, and a media type that is not JSON.
func readBody(r *http.Request, bytesMax int64) ([]byte, error) {
	for _, v := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(strings.TrimSpace(v), "identity") {
			return nil, badRequest([]any{"header", "Content-Encoding"}, "send the body without a content encoding, got %.40q", v)
		}
	}
	for _, v := range r.Header.Values("Content-Type") {
		if !isJSON(v) {
			return nil, badRequest([]any{"header", "Content-Type"}, "must be application/json, got %.80q", v)
		}
	}
	body, err := ReadBody(r, bytesMax)
	if err == nil && len(body) == 0 {
		err = emptyBody()
	}
	return body, err
}

// Reserver is a request body that reserves memory before more than [ReserveFrom] bytes of it are held. bytes is the
// total, including what is already held; a lower value than before returns what is not needed. A call for more may
// wait. Its error ends the reading: [ErrOverloaded], or why the body cannot be read.
type Reserver interface {
	Reserve(ctx context.Context, bytes int64) error
}

// ReserveFrom is how much of a body is held without a reservation: less than its connection takes.
const ReserveFrom = 8 << 10

// ReadBody reads the body of r, of any type, and puts it back. It returns [ErrBodyTooLarge] for more than bytesMax
// bytes, [ErrOverloaded] if the body is a [Reserver] without memory left, and an empty, non-nil body if there is none.
func ReadBody(r *http.Request, bytesMax int64) ([]byte, error) {
	if r.ContentLength > bytesMax {
		return nil, tooLarge(bytesMax)
	}
	if r.Body == nil || r.Body == http.NoBody {
		return []byte{}, nil
	}
	body, err := readWhole(r, bytesMax)
	if err != nil {
		if errors.Is(err, ErrOverloaded) {
			return nil, err
		}
		if tooLargeErr := (*http.MaxBytesError)(nil); errors.As(err, &tooLargeErr) {
			return nil, tooLarge(tooLargeErr.Limit)
		}
		return nil, badRequest(inBody, "was not received completely: %w", err)
	}
	if int64(len(body)) > bytesMax {
		return nil, tooLarge(bytesMax)
	}
	putBack(r, body)
	return body, nil
}

// putBack gives the upstream a body that was read.
func putBack(r *http.Request, body []byte) {
	r.Body = &replay{Reader: bytes.NewReader(body), Closer: r.Body}
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
}

// reserveFirst is reserved first for a body of unknown length, before the maximum is: most bodies are short.
const reserveFirst = 64 << 10

// readWhole reads a body to its end, or to the first byte beyond bytesMax. Its buffer is at most twice what has
// arrived, whatever length was announced, so a slow client uses little. But it reserves the whole at once, so that a
// body with a reservation can be read to its end; if many bodies grew step by step, none might finish.
func readWhole(r *http.Request, bytesMax int64) ([]byte, error) {
	whole := bytesMax + 1
	if r.ContentLength >= 0 {
		whole = r.ContentLength + 1 // one byte more, to see the end
	}
	reserver, _ := r.Body.(Reserver)
	body, room := make([]byte, 0, min(whole, bytes.MinRead)), int64(ReserveFrom)
	for {
		if len(body) == cap(body) {
			if int64(len(body)) >= whole { // more arrives than was announced
				whole = bytesMax + 1
			}
			size := min(2*int64(cap(body)), whole)
			if size > room && reserver != nil {
				if room = whole; r.ContentLength < 0 && size <= reserveFirst {
					room = min(reserveFirst, whole)
				}
				if err := reserver.Reserve(r.Context(), room); err != nil {
					return nil, err
				}
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			if room > ReserveFrom && reserver != nil {
				err = reserver.Reserve(r.Context(), int64(len(body)))
			} else {
				err = nil
			}
			return body, err
		case err != nil:
			return nil, err
		case int64(len(body)) > bytesMax:
			return body, nil
		}
	}
}

// replay returns a body again that was read before; closing it closes the original.
type replay struct {
	*bytes.Reader
	io.Closer
}

func tooLarge(bytesMax int64) error {
	return &BodyTooLargeError{BytesMax: bytesMax}
}

func emptyBody() error {
	return &RequestError{Loc: inBody, Missing: true, Reason: "is empty: send a JSON object"}
}

func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return media == "application/json" || (strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// decoded returns the JSON value as expressions see it: see [edgewire.Body]. A key that differs from one of fields only in
// case is refused: the expression would not see it, but an upstream that ignores case would.
func decoded(body *edgewire.Body, fields []string) (any, error) {
	if body.IsEmpty() {
		return nil, emptyBody()
	}
	value, err := body.Value()
	if err != nil {
		return nil, badRequest(inBody, "%w", err)
	}
	return value, checkValue(value, fields)
}

func checkValue(value any, fields []string) error {
	switch v := value.(type) {
	case json.Number:
		return badRequest(inBody, "the number %.40s is out of range", v)
	case map[string]any:
		for key, elem := range v {
			if err := checkCase(key, fields); err != nil {
				return err
			}
			if err := checkValue(elem, fields); err != nil {
				return err
			}
		}
	case []any:
		for _, elem := range v {
			if err := checkValue(elem, fields); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkCase(key string, fields []string) error {
	for _, field := range fields {
		if key != field && strings.EqualFold(key, field) {
			return badRequest([]any{"body", key}, "must be written %q", field)
		}
	}
	return nil
}
