package failure

import (
	"errors"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// A job that refuses a redirect fails with the error that its Follow returned.
func TestRefusedRedirect(t *testing.T) {
	t.Parallel()
	wait := &page.Error{Class: page.ClassWait, After: time.Minute, Problem: problem.New(problem.Overloaded, "later")}
	for _, tt := range []struct {
		name  string
		said  error
		class page.Class
		code  problem.Code
		after time.Duration
	}{
		{"a problem", problem.New(problem.RobotsDisallowed, "no"), page.ClassFinal, problem.RobotsDisallowed, 0},
		{"a class", wait, page.ClassWait, problem.Overloaded, time.Minute},
		{"something else", errors.New("broken"), page.ClassLater, problem.InternalServerError, 0},
	} {
		got := Classify(Fetch(t.Context(), &fetch.Error{Reason: fetch.ReasonRefused, URL: "https://a.example/", Err: tt.said}))
		if got.Class != tt.class || got.Problem.Code != tt.code || got.After != tt.after {
			t.Errorf("%s: got %s after %s, %v, want %s after %s, %s", tt.name, got.Class, got.After, got.Problem, tt.class, tt.after, tt.code)
		}
	}
}
