package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
)

// cpuProfileName names the variable with the file that a profile of the whole run is written to.
const cpuProfileName = "TURNPIKE_CPU_PROFILE"

// profile writes where the process spends its processor time into the file that the environment names, from now until stop is
// called. Without one it does nothing.
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
