package keyless

import "testing"

// TestMisread asks testdata/misread.txt: words that come near to what is asked are no answer to it.
func TestMisread(t *testing.T) {
	t.Parallel()
	wantAnswers(t, "testdata/misread.txt")
}
