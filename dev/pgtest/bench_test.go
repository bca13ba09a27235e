package pgtest_test

import (
	"testing"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// BenchmarkNew is what a test pays for its database: a copy of a small migrated template, and dropping it.
func BenchmarkNew(b *testing.B) {
	pgtest.New(b, migrate)
	b.ReportAllocs()
	for b.Loop() {
		pgtest.New(b, migrate)
	}
}
