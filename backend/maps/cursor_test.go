package maps

import "testing"

// FuzzCursor: any cursor is refused or is a place in a map, with one spelling.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"", "x", Cursor("map_000000000000000000000000", 7), Cursor("map_000000000000000000000000", -1), Cursor("crawl_1", 0)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		at, err := parsePosition(cursor)
		if err == nil && (*at.cursor() != cursor || at.first < 0 || at.first > URLsMax) {
			t.Fatalf("%q is read as %+v", cursor, at)
		}
	})
}

func TestDivide(t *testing.T) {
	t.Parallel()
	long := make([]byte, 8000)
	for i := range long {
		long[i] = '"' // takes two bytes in JSON
	}
	urls := make([]string, 2000)
	for i := range urls {
		urls[i] = string(long)
	}
	chunks := divide(urls)
	if len(chunks) != 4 || chunks[0].URLs != 624 {
		t.Errorf("got %v, want chunks of at most 624 URLs", chunks)
	}
	for first, want := range map[int][2]int{0: {0, 0}, 623: {0, 623}, 624: {1, 0}, 1999: {3, 127}} {
		if k, before, err := find(chunks, first); err != nil || k != want[0] || before != want[1] {
			t.Errorf("URL %d: got chunk %d, place %d, %v, want %v", first, k, before, err, want)
		}
	}
	if _, _, err := find(chunks, 2000); err == nil {
		t.Error("got no error behind the end")
	}
	if k, _, err := find(divide(nil), 0); err != nil || k != 0 {
		t.Errorf("nothing: got %d and %v, want the one empty chunk", k, err)
	}
	for n, want := range map[int]int64{0: 1, 1: 1, 1000: 1, 1001: 2, 100_000: 100} {
		if got := int64(cost(n)); got != want {
			t.Errorf("%d URLs: got %d credits, want %d", n, got, want)
		}
	}
}
