package keyless

import "testing"

// TestPlain asks testdata/plain.txt: what a newcomer asks of a small page. All of it is to be found, and nothing else given.
func TestPlain(t *testing.T) {
	t.Parallel()
	sections := readSections(t, "testdata/plain.txt")
	asked := 0
	for _, section := range sections {
		for _, q := range section.questions {
			asked++
			got := answer(t, section.world, q.text, q.format)
			want, have := leaves(t, q.want), leaves(t, string(got.JSON))
			for path, value := range want {
				if !same(value, have[path]) {
					t.Errorf("%s: %s: got %v, want %v", q.text, path, have[path], value)
				}
				if have[path] != "NOT_FOUND" && len(got.Citations) == 0 {
					t.Errorf("%s: %s has no citation", q.text, path)
				}
			}
		}
	}
	if asked < 80 {
		t.Errorf("got %d questions, want 80 at least", asked)
	}
}
