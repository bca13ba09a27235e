package page

import (
	"errors"
	"time"

	"github.com/turnpike-edge/turnpike/backend/problem"
)

// ErrNoRecord is returned for a page of which nothing was recorded, or whose time is over.
var ErrNoRecord = errors.New("no record of the page")

// Class says what is worth doing about a page that failed.
type Class string

// The classes.
const (
	// ClassFinal: it would fail again, so that is how it ends.
	ClassFinal Class = "final"
	// ClassLater: it may do better on another try, of which there should be a few.
	ClassLater Class = "later"
	// ClassWait: it was not its turn, or we are at a loss ourselves. That says nothing of the page, and is no try.
	ClassWait Class = "wait"
)

// Error is a page that failed, and what to do about it.
type Error struct {
	Class Class
	// After is when a page that waits may have its turn; 0 for the other classes.
	After time.Duration
	// Problem is what the caller is told.
	Problem *problem.Error
}

func (e *Error) Error() string { return e.Problem.Error() }

func (e *Error) Unwrap() error { return e.Problem }
