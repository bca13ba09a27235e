package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
)

// cpuProfileName is the variable with the file for a CPU profile of the whole run.
const cpuProfileName = "TURNPIKE_CPU_PROFILE"

// profile writes a CPU profile to the file that the environment names, from now until stop is called. Without such a
// file it does nothing.
func profile() (stop func() error, err error) {
	name := os.Getenv(cpuProfileName)
	if name == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cpuProfileName, err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", cpuProfileName, err), f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
