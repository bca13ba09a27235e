package memory

import (
	"fmt"
	"strings"
	"testing"
)

// A panic is the caller's, with the stack that it comes of.
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
	if err := b.Do(of(ended(t), "a"), 40, func() { t.Error("it works, without room for it") }); err == nil {
		t.Error("got no error")
	}
}
