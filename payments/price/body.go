package price

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
			return nil, fmt.Errorf("%w: the body has Content-Encoding %q; send it as it is", ErrBadRequest, v)
		}
	}
	for _, v := range r.Header.Values("Content-Type") {
		if !isJSON(v) {
			return nil, fmt.Errorf("%w: Content-Type is %q, want application/json", ErrBadRequest, v)
		}
	}
	if r.ContentLength > bytesMax {
		return nil, tooLarge(bytesMax)
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, emptyBody()
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, bytesMax+1))
	if err != nil {
		if tooLargeErr := (*http.MaxBytesError)(nil); errors.As(err, &tooLargeErr) {
			return nil, tooLarge(tooLargeErr.Limit)
		}
		return nil, fmt.Errorf("%w: reading the body: %w", ErrBadRequest, err)
	}
	if int64(len(body)) > bytesMax {
		return nil, tooLarge(bytesMax)
	}
	if len(body) == 0 {
		return nil, emptyBody()
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
	return fmt.Errorf("%w: the limit here is %d bytes", ErrBodyTooLarge, bytesMax)
}

func emptyBody() error {
	return fmt.Errorf("%w: the body is empty, want JSON", ErrBadRequest)
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
		return nil, fmt.Errorf("%w: body: %w", ErrBadRequest, err)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w: the body is not JSON: %w", ErrBadRequest, err)
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
		return nil, fmt.Errorf("%w: body: the number %.40s is out of range", ErrBadRequest, number)
	}
	return f, nil
}

func checkCase(key string, fields []string) error {
	for _, field := range fields {
		if key != field && strings.EqualFold(key, field) {
			return fmt.Errorf("%w: body: the field %q must be written %q", ErrBadRequest, key, field)
		}
	}
	return nil
}
