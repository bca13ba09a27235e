// Package s3 runs a real S3 server on this machine, for tests of bucket storage: versitygw, which stores buckets in
// directories.
//
// The server is a separate program, and no dependency of this module: `go run ./dev/s3/getserver` builds the pinned
// version into the user's cache, as `make test` does. If it is missing, [Start] says how to get it.
package s3
