package keyless

import "testing"

// TestSentences asks what testdata/sentences.txt asks: all of it is to be found, and nothing else given.
func TestSentences(t *testing.T) {
	t.Parallel()
	wantAnswers(t, "testdata/sentences.txt")
}
