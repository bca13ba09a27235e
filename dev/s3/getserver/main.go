// Program getserver builds the S3 server of the tests into the user's cache, silently skipping this if it is there.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/turnpike-edge/turnpike/dev/s3"
)

func main() {
	if s3.Installed() {
		return
	}
	fmt.Fprintln(os.Stderr, "getserver: building the S3 server for tests, versitygw "+s3.Version+"; this takes a few minutes, only this time")
	if err := s3.Install(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "getserver:", err)
		os.Exit(1)
	}
}
