package page

import (
	"errors"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// ErrNoRecord is returned for a page without a recording, or whose retention is over.
var ErrNoRecord = errors.New("no recording of the page")

// Class says how to proceed with a page that failed.
type Class string

// The classes.
const (
	// ClassFinal: another try would fail, too, so the failure is final.
	ClassFinal Class = "final"
	// ClassLater: another try may succeed; there should be a few.
	ClassLater Class = "later"
	// ClassWait: there was no turn, or the fault is ours. It says nothing about the page and does not count as a try.
	ClassWait Class = "wait"
)

// Error is the failure of a page, and how to proceed.
type Error struct {
	Class Class
	// After is when a waiting page may get its turn; 0 for the other classes.
	After time.Duration
	// Problem is the error for the client.
	Problem *problem.Error
}

func (e *Error) Error() string { return e.Problem.Error() }

func (e *Error) Unwrap() error { return e.Problem }
