//go:build !unix

package chromium

import "os"

func lockProfile(dir string) (*os.File, error) { return os.CreateTemp(dir, "lock-") }

func removeAbandoned() {}
