package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fenced is a fenced block of a page: its info string and its text.
type fenced struct{ info, text string }

// fencedBlocks reads a page by its path from the repository's root.
func fencedBlocks(t *testing.T, page string) []fenced {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []fenced
	inside := false
	for line := range strings.Lines(string(text)) {
		info, fence := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "```")
		switch {
		case fence && !inside:
			blocks = append(blocks, fenced{info: info})
			inside = true
		case fence:
			inside = false
		case inside:
			blocks[len(blocks)-1].text += line
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("%s: no fenced blocks", page)
	}
	return blocks
}
