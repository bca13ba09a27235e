package membudget

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A panic reaches the calling goroutine with its original stack.
func TestAsidePanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "broken") || !strings.Contains(got, "TestAsidePanics") {
			t.Errorf("got %q, want what broke and where", got)
		}
	}()
	Aside(func() { panic("broken") })
}

func TestDoWaits(t *testing.T) {
	t.Parallel()
	b := NewBudget(100)
	if _, err := b.Take(of(t.Context(), "a"), 40); err != nil {
		t.Fatal(err)
	}
	_, err := Do(of(ended(t), "a"), b, 40, func() (int, error) { return 0, errors.New("it works, without room for it") })
	if !errors.Is(err, ErrNoRoom) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v, and the context's error", err, ErrNoRoom)
	}
}

// Long work that ignores the end of its context is not waited for, and keeps its memory until it ends.
func TestDoLeavesLongWork(t *testing.T) {
	t.Parallel()
	b := NewBudget(2 * longBytes)
	ctx, cancel := context.WithCancel(of(t.Context(), "a"))
	end, ended := make(chan struct{}), make(chan struct{})
	_, err := Do(ctx, b, longBytes, func() (int, error) {
		defer close(ended)
		cancel()
		<-end
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrNoRoom) {
		t.Errorf("got %v, want the context's error alone", err)
	}
	if held := b.work.Stats().Keyed.Held; held != longBytes {
		t.Errorf("got %d bytes held while the work goes on, want %d", held, longBytes)
	}
	close(end)
	<-ended
	if got, err := Do(of(t.Context(), "a"), b, b.work.Most(), func() (int, error) { return 2, nil }); got != 2 || err != nil {
		t.Errorf("got %d and %v after it, want 2: its room was not given back", got, err)
	}
}

// An error of the work is returned, whether or not the work is long.
func TestDoReturnsTheError(t *testing.T) {
	t.Parallel()
	b, want := NewBudget(0), errors.New("no page")
	for _, bytes := range []int64{1, longBytes} {
		if _, err := Do(of(t.Context(), "a"), b, bytes, func() (int, error) { return 0, want }); !errors.Is(err, want) {
			t.Errorf("work of %d bytes: got %v, want %v", bytes, err, want)
		}
	}
}
