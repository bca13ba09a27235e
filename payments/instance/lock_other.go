//go:build !linux && !darwin

package instance

import (
	"errors"
	"os"
)

const canLock = false

func flock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

func inode(os.FileInfo) string { return "" }

// bootID is unknown on this system.
func bootID() string { return "" }
