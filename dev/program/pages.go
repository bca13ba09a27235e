package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Fenced is a fenced block of a page: its info string and its text.
type Fenced struct{ Info, Text string }

// FencedBlocks reads a page by its path from the repository's root, for a test of a command.
func FencedBlocks(t *testing.T, page string) []Fenced {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []Fenced
	inside := false
	for line := range strings.Lines(string(text)) {
		info, fence := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "```")
		switch {
		case fence && !inside:
			blocks = append(blocks, Fenced{Info: info})
			inside = true
		case fence:
			inside = false
		case inside:
			blocks[len(blocks)-1].Text += line
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("%s: no fenced blocks", page)
	}
	return blocks
}
