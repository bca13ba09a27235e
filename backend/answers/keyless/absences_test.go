package keyless

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestAbsences asks testdata/absences.txt: contacts belong to whom they stand with, and a page of the same name may be of another.
// All of it is to be found, and nothing else given.
func TestAbsences(t *testing.T) {
	t.Parallel()
	sections := readSections(t, "testdata/absences.txt")
	if len(sections) == 0 {
		t.Fatal("no pages")
	}
	for _, section := range sections {
		for _, q := range section.questions {
			want, have := leaves(t, q.want), leaves(t, string(answer(t, section.world, q.text, q.format).JSON))
			for path, value := range want {
				if !same(value, have[path]) {
					t.Errorf("%s: %s: got %v, want %v", q.text, path, have[path], value)
				}
			}
		}
	}
}

// section is a world of its own, with what is asked of it.
type section struct {
	world     *world
	questions []question
}

// readSections reads worlds that are parted by lines of "####".
func readSections(t *testing.T, path string) []section {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []section
	for i, text := range strings.Split(string(raw), "\n####\n") {
		part := filepath.Join(t.TempDir(), strconv.Itoa(i))
		if err := os.WriteFile(part, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w, questions := readPages(t, part)
		out = append(out, section{w, questions})
	}
	return out
}
