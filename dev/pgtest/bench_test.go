package pgtest_test

import (
	"testing"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// BenchmarkNew measures a test's cost of its database: copying a small migrated template, and dropping the copy.
func BenchmarkNew(b *testing.B) {
	pgtest.New(b, migrate)
	b.ReportAllocs()
	for b.Loop() {
		pgtest.New(b, migrate)
	}
}
