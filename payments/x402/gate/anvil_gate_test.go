//go:build interop

package gate

import "testing"

// TestByTheClock repeats tests on nodes that make one block each second. In all other tests each transaction makes a
// block at once.
func TestByTheClock(t *testing.T) {
	t.Parallel()
	t.Run("copies", TestCopiesOnChain)
}
