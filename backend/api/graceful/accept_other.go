//go:build !unix

package graceful

import "errors"

// accept is not available on this system: pending connections are reset.
func accept(uintptr) (int, error) { return 0, errors.ErrUnsupported }
