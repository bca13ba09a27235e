package scrapes

import (
	"context"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
)

// A render reserves memory for the browser's output on top of what was fetched, and work memory while the output is read.
func TestRoomOfARender(t *testing.T) {
	t.Parallel()
	const fetched, part = 1000, 10
	b := membudget.NewBudget(64 << 20)
	hold := b.Hold()
	if err := hold.Set(t.Context(), fetched); err != nil {
		t.Fatal(err)
	}
	r := &room{memory: b, hold: hold, before: hold.Bytes()}
	for i := range int64(2) {
		taken, err := r.take(t.Context(), 2*part)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := hold.Bytes(), fetched+membudget.HeldBytes(i*part+2*part); got != want {
			t.Errorf("part %d: held %d while it is taken, want %d", i, got, want)
		}
		taken(part)
		if got, want := hold.Bytes(), fetched+membudget.HeldBytes((i+1)*part); got != want {
			t.Errorf("part %d: held %d once it was taken, want %d", i, got, want)
		}
	}
	all, err := b.Take(t.Context(), 1<<40) // all work memory was given back
	if err != nil {
		t.Fatal(err)
	}
	defer all()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.take(ctx, part); err == nil || !r.denied.Load() {
		t.Errorf("without room: got %v, denied %t", err, r.denied.Load())
	}
}

func TestWhatIsHeldOfACapture(t *testing.T) {
	t.Parallel()
	const large = 2 * fetch.RoomBytes
	for name, tt := range map[string]struct {
		capture capture
		want    int64
	}{
		"small":              {capture{source: extract.Source{Body: make([]byte, 10)}}, 0},
		"a page":             {capture{source: extract.Source{Body: make([]byte, large)}}, membudget.HeldBytes(large)},
		"with its pictures":  {capture{source: extract.Source{Body: make([]byte, large)}, screenshot: make([]byte, 5), pdf: make([]byte, 7)}, membudget.HeldBytes(large + 12)},
		"a PDF is its print": {capture{source: extract.Source{MediaType: "application/pdf", Body: make([]byte, large)}, pdf: make([]byte, large)}, membudget.HeldBytes(large)},
	} {
		p := &plan{hold: membudget.NewBudget(0).Hold()}
		if err := p.holdOnTo(t.Context(), &tt.capture); err != nil || p.hold.Bytes() != tt.want {
			t.Errorf("%s: held %d, %v, want %d", name, p.hold.Bytes(), err, tt.want)
		}
	}
	b := membudget.NewBudget(2)
	if err := b.Hold().Set(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	err := (&plan{hold: b.Hold()}).holdOnTo(ctx, &capture{source: extract.Source{Body: make([]byte, large)}})
	if got := problem.From(err); got.Code != problem.Overloaded || got.RetryAfter == 0 {
		t.Errorf("without room: got %v, want a problem that says to come again", err)
	}
}
