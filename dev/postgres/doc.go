// Package postgres runs a private PostgreSQL server for one program: `turnpike dev` and the tests.
//
// It finds the binaries on this machine (or installs a pinned version with the npm client), creates a cluster in its own
// directory and runs it on a unix socket that only this user can reach. The cluster persists: the next Start in the same
// directory finds the same data.
//
// The server belongs to the process that started it. One lock file per directory admits one owner, and the server never
// outlives the owner, however that ends:
//
//   - Stop shuts it down in the "fast" way and waits until the process is gone.
//   - A warden, a small shell process that reads a pipe whose other end only the owner holds, sees the end of file when
//     the owner dies (exit, panic, kill -9), shuts the server down and removes an ephemeral directory.
//   - On Linux the server also has a parent-death signal, for the moment between the fork and the message to the warden.
//     That signal is tied to the thread that forked, not to the process, so the goroutine that starts the server is
//     locked to its thread for as long as the server runs.
//
// Invariants: no TCP listener; fsync stays on unless the configuration turns it off; a directory with other content is
// never touched; an incomplete cluster is never used (initdb works under a temporary name, followed by a rename);
// postmaster.pid is never deleted, because the shared memory key in it keeps a second server off the data while backends
// of a killed one are still dying.
//
// PostgreSQL refuses to run as root. Started by root, the server runs as the owner of an existing cluster, else as the
// user postgres, else as uid 65534. If that user cannot reach the directory (it is below /root, say) it runs in a user
// namespace (Linux), in which root's own files belong to an ordinary uid.
package postgres
