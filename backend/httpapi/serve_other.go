//go:build !unix

package httpapi

import "errors"

// accept is not to be had here: what waits is reset.
func accept(uintptr) (int, error) { return 0, errors.ErrUnsupported }
