package memory

import (
	"context"
	"errors"
	"testing"
)

func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestTake(t *testing.T) {
	t.Parallel()
	b := NewBudget(100)
	first, err := b.Take(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take(ended(t), 60); !errors.Is(err, context.Canceled) {
		t.Errorf("without room: got %v, want %v", err, context.Canceled)
	}
	had := make(chan error, 1)
	go func() {
		second, err := b.Take(t.Context(), 60)
		if err == nil {
			second()
		}
		had <- err
	}()
	first()
	first() // it is given back once
	if err := <-had; err != nil {
		t.Errorf("after it was given back: got %v, want the room", err)
	}
	// More than there is waits for all.
	all, err := b.Take(t.Context(), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take(ended(t), 1); err == nil {
		t.Error("got room beside what has all of it")
	}
	all()
}

func TestHold(t *testing.T) {
	t.Parallel()
	b := NewBudget(200) // of which 100 are for what is in hand
	one, other := b.Hold(), b.Hold()
	for _, step := range []struct {
		name  string
		hold  *Hold
		bytes int64
		want  error
	}{
		{"some", one, 30, nil},
		{"more", one, 60, nil},
		{"what is left", other, 40, nil},
		{"beyond that", other, 41, context.Canceled}, // and 40 are given back
		{"what was given back", one, 100, nil},
		{"less", one, 10, nil},
		{"all the rest", other, 90, nil},
		{"more than there is waits for all", other, 1 << 40, context.Canceled},
		{"nothing", one, 0, nil},
		{"more than there is", other, 1 << 40, nil},
	} {
		ctx := t.Context()
		if step.want != nil {
			ctx = ended(t)
		}
		if err := step.hold.Set(ctx, step.bytes); !errors.Is(err, step.want) {
			t.Fatalf("%s: got %v, want %v", step.name, err, step.want)
		}
	}
	other.Release()
	other.Release()
	if err := one.Set(t.Context(), 100); err != nil {
		t.Errorf("after it was given back: got %v, want all", err)
	}
}

// Two that each have half, and want all, do not wait for each other.
func TestHoldsThatGrow(t *testing.T) {
	t.Parallel()
	b := NewBudget(200)
	done := make(chan error, 2)
	holds := []*Hold{b.Hold(), b.Hold()}
	for _, h := range holds {
		if err := h.Set(t.Context(), 50); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range holds {
		go func() {
			err := h.Set(t.Context(), 100)
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
