package keyless

import "testing"

// TestTruths asks what testdata/truths.txt asks: all of it is to be found, and nothing else given.
func TestTruths(t *testing.T) {
	t.Parallel()
	wantAnswers(t, "testdata/truths.txt")
}
