// Package s3 runs a real S3 server on this machine, for tests of what is kept in buckets: versitygw, which keeps them in
// directories.
//
// The server is a program of its own, and none that this module depends on: `go run ./dev/s3/getserver` builds the pinned
// version into the user's cache, as `make test` does. Where it is not there, [Start] says how to get it.
//
// It imports dev/rig.
package s3
