//go:build !linux

package parsers

import "os"

// thisProgram is the one that runs.
func thisProgram() (string, error) { return os.Executable() }
