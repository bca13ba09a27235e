//go:build !linux

package parsers

import "os"

// thisProgram is the running program.
func thisProgram() (string, error) { return os.Executable() }
