package paging

import (
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

func TestCursorComesBack(t *testing.T) {
	t.Parallel()
	want := Position{Created: time.UnixMicro(1767225600123456), ID: "file_000000000000000000000000"}
	got, err := Parse(*want.Cursor(), "file")
	if err != nil || !got.Created.Equal(want.Created) || got.ID != want.ID {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := Parse(*want.Cursor(), "batch"); problem.From(err).Code != problem.ValidationError {
		t.Errorf("in another list: got %v, want a refusal", err)
	}
	if first, err := Parse("", "file"); err != nil || first.Created.Year() != 9999 || first.ID != "" {
		t.Errorf("without one: got %+v, %v, want the first page", first, err)
	}
}

// FuzzCursor: any cursor is refused, or is a place that the database can store.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"", "MS5maWxlXw", "x", "MTc2NzIyNTYwMDAwMDAwMC5maWxlXzAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		at, err := Parse(cursor, "file")
		switch {
		case err != nil && problem.From(err).Code != problem.ValidationError:
			t.Fatalf("%q: got %v", cursor, err)
		case err == nil && (at.Created.Year() > 9999 || at.Created.Unix() < 0):
			t.Fatalf("%q: got %v", cursor, at.Created)
		}
	})
}
