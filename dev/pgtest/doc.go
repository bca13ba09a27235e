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
// dev/pgtest/withpg sets for everything that it runs; without it each test process starts its own on first use. Main
// stops that one before the process ends. A package without TestMain leaks nothing either, nor does a process that
// panics or is killed: the server's warden (see package postgres) shuts it down and removes it a moment later.
//
// Processes that share a server do not meet: each takes a random prefix for its databases and holds an advisory lock
// that stands for it. What a killed process left on a shared server is dropped by the next one, which can tell from
// that lock being free.
//
// A machine without PostgreSQL fails the tests with the one command that installs it. It does not skip them: a suite
// that is green because nothing ran is worse than a red one.
//
// It imports dev/postgres and pgx.
package pgtest
