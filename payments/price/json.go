package price

import "net/http"

// ReadJSON reads the body of r, which must be one JSON text that every parser
// reads alike, and puts it back. What is refused is an [ErrBadRequest], or an
// [ErrBodyTooLarge] where there are more than bytesMax.
func ReadJSON(r *http.Request, bytesMax int64) ([]byte, error) {
	body, err := readBody(r, bytesMax)
	if err != nil {
		return nil, err
	}
	if err := checkJSON(body); err != nil {
		return nil, badRequest(inBody, "%w", err)
	}
	return body, nil
}
