//go:build !unix

package render

import "os"

func lockProfile(dir string) (*os.File, error) { return os.CreateTemp(dir, "lock-") }

func removeAbandoned() {}
