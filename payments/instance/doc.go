// Package instance tracks which of the processes that share a database are alive. An instance is one running process.
// It has a row in the table edge, renews it with every heartbeat, and marks what it starts with its id: holds, claims,
// transactions. Others finish what it left once it has ended. An instance is ended only in this package:
//
//   - by itself, when its process stops;
//   - by its successor, the next process that gets the lock of the same file: the kernel frees a lock when the process
//     that held it is gone, so this takes no time and needs no clock;
//   - by any process with unbroken contact to the database for long enough, when the instance has been silent for
//     longer than the limit it declared (lost_after).
//
// An ended instance never lives again. If its process was only paused, its next heartbeat finds no row, and statements
// that are guarded by its id change nothing. Until it notices, its lease keeps it from acting: it considers itself
// ended once its last heartbeat is as old as lost_after. See [Instance.Live].
package instance
