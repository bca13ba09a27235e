package price

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// ReadJSON reads the body of r and puts it back. The body must be one JSON text that every parser reads in the same
// way; otherwise the error is an [ErrBadRequest], or an [ErrBodyTooLarge] for more than bytesMax bytes.
func ReadJSON(r *http.Request, bytesMax int64) ([]byte, error) {
	body, err := readBody(r, bytesMax)
	if err != nil {
		return nil, err
	}
	if err := edgewire.CheckJSON(body); err != nil {
		return nil, badRequest(inBody, "%w", err)
	}
	return body, nil
}
