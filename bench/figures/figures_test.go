package figures_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/turnpike-edge/turnpike/bench/figures"
)

const markerBegin, markerEnd = "<!-- results -->", "<!-- end of results -->"

func TestRewriteKeepsWhatStandsAround(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte("# Title\n\n"+markerBegin+"\nold\n"+markerEnd+"\n\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := figures.Rewrite(file, markerBegin, markerEnd, "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Title\n\n" + markerBegin + "\n\nnew\n\n" + markerEnd + "\n\nend\n"; string(got) != want {
		t.Errorf("file: got %q, want %q", got, want)
	}
	if err := os.WriteFile(file, []byte("# Title\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := figures.Rewrite(file, markerBegin, markerEnd, "new"); err == nil {
		t.Error("file without markers: got no error, want one")
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	got := figures.SpreadOf([]int{4, 1, 2, 5}, func(n int) float64 { return float64(n) })
	if want := "3.00 (1.00 to 5.00)"; got.Ratio() != want || got.Number() != "3" {
		t.Errorf("got %s and %s, want %s and 3", got.Ratio(), got.Number(), want)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	got := figures.Table([]string{"a", "b"}, [][]string{{"x", "1"}, {"y", "2"}})
	if want := "| a | b |\n|---|---:|\n| x | 1 |\n| y | 2 |\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
