package membudget

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
)

func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// of is a context of a team.
func of(ctx context.Context, team string) context.Context {
	return admission.With(ctx, admission.Holder{Name: team})
}

func TestTake(t *testing.T) {
	t.Parallel()
	b := NewBudget(100)
	first, err := b.Take(of(t.Context(), "a"), 40)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take(of(ended(t), "a"), 40); !errors.Is(err, context.Canceled) {
		t.Errorf("beyond a team's share: got %v, want %v", err, context.Canceled)
	}
	had := make(chan error, 1)
	go func() {
		second, err := b.Take(of(t.Context(), "a"), 40)
		if err == nil {
			second()
		}
		had <- err
	}()
	other, err := b.Take(of(t.Context(), "b"), 40)
	if err != nil {
		t.Fatalf("another team: got %v, want the room", err)
	}
	other()
	first()
	first() // a second release does nothing
	if err := <-had; err != nil {
		t.Errorf("after it was given back: got %v, want the room", err)
	}
	for _, pool := range b.Pools() {
		if got := pool.Stats(); got.Keyed.Held != 0 {
			t.Errorf("in the end %d are held", got.Keyed.Held)
		}
	}
}

// Work heavier than a share runs one at a time, and leaves room for light work.
func TestTakeHeavy(t *testing.T) {
	t.Parallel()
	b := NewBudget(100)
	heavy, err := b.Take(of(t.Context(), "a"), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take(of(ended(t), "b"), 60); !errors.Is(err, context.Canceled) {
		t.Errorf("a second: got %v, want %v", err, context.Canceled)
	}
	light, err := b.Take(of(t.Context(), "b"), 50)
	if err != nil {
		t.Fatalf("a light one beside it: got %v, want the room", err)
	}
	light()
	heavy()
	again, err := b.Take(of(t.Context(), "b"), 60)
	if err != nil {
		t.Fatalf("after it was given back: got %v, want the room", err)
	}
	again()
}

func TestHold(t *testing.T) {
	t.Parallel()
	b := NewBudget(200) // of which 100 are for holds
	one, other := b.Hold(), b.Hold()
	for _, step := range []struct {
		name  string
		team  string
		hold  *Hold
		bytes int64
		want  error
		held  int64
	}{
		{"some", "a", one, 30, nil, 30},
		{"more", "a", one, 50, nil, 50},
		{"what is left", "b", other, 50, nil, 50},
		{"no more than half", "a", one, 1 << 40, nil, 50},
		{"less", "a", one, 10, nil, 10},
		{"a second of the same", "a", b.Hold(), 30, context.Canceled, 0},
		{"more again", "a", one, 25, nil, 25},
		{"beyond what is left", "a", one, 45, nil, 45}, // released first, then its team's first share again
		{"nothing", "a", one, 0, nil, 0},
	} {
		ctx := of(t.Context(), step.team)
		if step.want != nil {
			ctx = of(ended(t), step.team)
		}
		if err := step.hold.Set(ctx, step.bytes); !errors.Is(err, step.want) || step.hold.Bytes() != step.held {
			t.Fatalf("%s: got %d, %v, want %d, %v", step.name, step.hold.Bytes(), err, step.held, step.want)
		}
	}
	other.Release()
	other.Release()
	if got := b.hold.Stats(); got.Keyed.Held != 0 {
		t.Errorf("in the end %d are held", got.Keyed.Held)
	}
}

// Two holds that each have a share and want more than is left do not deadlock.
func TestHoldsThatGrow(t *testing.T) {
	t.Parallel()
	b := NewBudget(200)
	done := make(chan error, 2)
	holds := map[string]*Hold{"a": b.Hold(), "b": b.Hold()}
	for team, h := range holds {
		if err := h.Set(of(t.Context(), team), 40); err != nil {
			t.Fatal(err)
		}
	}
	other := b.Hold()
	if err := other.Set(of(t.Context(), "c"), 20); err != nil {
		t.Fatal(err)
	}
	for team, h := range holds {
		go func() {
			err := h.Set(of(t.Context(), team), 50)
			h.Release()
			done <- err
		}()
	}
	for range holds {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestReadBytes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, mediaType, body string
		want                  int64
	}{
		{"nothing", "text/html", "", readBase},
		{"an element", "text/html", "<p>abc", readBase + 6*readFactor + tagBytes},
		{"attributes", "text/html", `<p a b="c">`, readBase + 11*readFactor + tagBytes + 3*attributeBytes},
		{"a PDF", "application/pdf", "xy", pdfBase + 2*pdfFactor},
		{"a PDF that is not called one", "application/octet-stream", "%PDF-1.7", pdfBase + 8*pdfFactor},
	} {
		if got := ReadBytes(test.mediaType, []byte(test.body)); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
	// Four small PDFs fit into the default, and no fifth.
	if got := 4 * ReadBytes("application/pdf", make([]byte, 2<<20)); got > BytesDefault {
		t.Errorf("four PDFs of 2 MiB: got %d, want at most %d", got, BytesDefault)
	}
}

// A holder that works for long beside others rests as long as it worked; alone it does not.
func TestTakeLongRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const work = 3 * time.Second
		b := NewBudget(0)
		b.long = admission.New(admission.Config{Size: 2}) // one for each holder
		hostile, other := of(t.Context(), "a"), of(t.Context(), "b")
		twice := func(when string, want time.Duration) {
			begun := time.Now()
			for range 2 {
				release, err := b.TakeLong(hostile)
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(work)
				release()
				release()
			}
			if got := time.Since(begun); got != want {
				t.Errorf("%s: two pieces of work took %s, want %s", when, got, want)
			}
		}
		twice("alone", 2*work)
		read, err := b.Take(other, 1)
		if err != nil {
			t.Fatal(err)
		}
		read()
		twice("beside another", 3*work)
		release, err := b.TakeLong(other)
		if err != nil {
			t.Fatal(err)
		}
		release()
		<-time.After(companyFor)
		twice("when the other has gone", 2*work)
	})
}
