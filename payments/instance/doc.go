// Package instance says which processes live among those that share a database.
//
// An instance is one running process. It has a row in the table edge, says every heartbeat that it lives, and marks
// with its id what it has begun: holds, claims, transactions. Others finish what an instance has left once it has
// ended, and this package is the one place where that is decided:
//
//   - by itself, when its process stops;
//   - by its successor, the next process that gets the lock of the same file: the kernel frees a lock when the
//     process that had it is gone, so this takes no time and needs no clock;
//   - by any other that has heard the database without a break for long enough, when it has been silent for as long as
//     it says that it may be (lost_after).
//
// The end is for good. An instance that was ended while it was only stopped finds no row to beat, and every statement
// that is guarded by its id finds nothing to change. Before it finds out, its lease keeps it from acting: it takes itself
// for ended once its last heartbeat is as old as others may wait for. See [Instance.Live].
//
// It imports db and knows nothing of credits and payments.
package instance
