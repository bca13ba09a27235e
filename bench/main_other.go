//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench: needs Linux: it pins processes to cores and reads their CPU time from /proc")
	os.Exit(1)
}
