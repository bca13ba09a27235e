// Package pgtest gives tests real, empty or migrated databases on a private PostgreSQL server.
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	func TestTopUp(t *testing.T) {
//		t.Parallel()
//		url := pgtest.New(t, db.Migrate) // a database of this test's own, dropped when it ends
//		…
//	}
//
// The server is the one that TURNPIKE_TEST_POSTGRES_URL names (the address of a superuser's database), which
// dev/pgtest/withpg sets for the command that it runs. Without it each test process starts its own server on first use,
// and Main stops that one before the process ends. A package without TestMain leaks nothing either, nor does a process
// that panics or is killed: the server's warden (see package postgres) shuts it down and removes it a moment later.
//
// Processes that share a server do not conflict: each takes a random prefix for its databases and holds an advisory lock
// for it. The databases of a killed process on a shared server are dropped by the next process, which finds the lock
// free.
//
// Without PostgreSQL on the machine the tests fail, with the command that installs it. They are not skipped: a suite that
// is green because nothing ran is worse than a red one.
package pgtest
