package price

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

// readBody reads the body of r for its price and puts it back. What an upstream
// might read differently is refused: an encoding that the edge would have to
// undo, and a media type that is not JSON.
func readBody(r *http.Request, bytesMax int64) ([]byte, error) {
	for _, v := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(strings.TrimSpace(v), "identity") {
			return nil, badRequest([]any{"header", "Content-Encoding"}, "send the body without an encoding, got %.40q", v)
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

// ReadBody reads the body of r and puts it back: what it is does not matter. It
// returns [ErrBodyTooLarge] for one of more than bytesMax, and an empty body,
// which is not nil, where there is none.
func ReadBody(r *http.Request, bytesMax int64) ([]byte, error) {
	if r.ContentLength > bytesMax {
		return nil, tooLarge(bytesMax)
	}
	if r.Body == nil || r.Body == http.NoBody {
		return []byte{}, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, bytesMax+1))
	if err != nil {
		if tooLargeErr := (*http.MaxBytesError)(nil); errors.As(err, &tooLargeErr) {
			return nil, tooLarge(tooLargeErr.Limit)
		}
		return nil, badRequest(inBody, "did not arrive whole: %w", err)
	}
	if int64(len(body)) > bytesMax {
		return nil, tooLarge(bytesMax)
	}
	r.Body = &replay{Reader: bytes.NewReader(body), Closer: r.Body}
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
	return body, nil
}

// replay gives a body that was read once more; closing it closes the original.
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

// decodeBody returns the JSON value as expressions see it: integers that fit are
// int64 and exact, every other number is a float64. A key that is one of fields
// but for its case is refused: the expression would not see it, and an upstream
// that ignores case would.
func decodeBody(body []byte, fields []string) (any, error) {
	if len(body) == 0 {
		return nil, emptyBody()
	}
	if err := checkJSON(body); err != nil {
		return nil, badRequest(inBody, "%w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, badRequest(inBody, "is not JSON: %w", err)
	}
	return normalise(v, fields)
}

func normalise(v any, fields []string) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		return exactNumber(v)
	case map[string]any:
		for key, elem := range v {
			if err = checkCase(key, fields); err != nil {
				return nil, err
			}
			if v[key], err = normalise(elem, fields); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, elem := range v {
			if v[i], err = normalise(elem, fields); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func exactNumber(number json.Number) (any, error) {
	if n, err := number.Int64(); err == nil {
		return n, nil
	}
	f, err := number.Float64()
	if err != nil {
		return nil, badRequest(inBody, "the number %.40s is out of range", number)
	}
	return f, nil
}

func checkCase(key string, fields []string) error {
	for _, field := range fields {
		if key != field && strings.EqualFold(key, field) {
			return badRequest([]any{"body", key}, "must be written %q", field)
		}
	}
	return nil
}
