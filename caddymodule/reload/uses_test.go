package reload

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// What no configuration uses after a reload is closed when its last request has ended, and not before.
func TestStaysForItsLastRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := new(Uses)
		first, second := u.Begin(), u.Begin()
		var closed bool
		var failure error
		fault := errors.New("a fault")
		if err := CloseWhenUnused(u, func() error { closed = true; return fault }, func(err error) { failure = err }); err != nil {
			t.Fatalf("in the background: got %v, want nil", err)
		}
		step := func(d time.Duration, want bool) {
			t.Helper()
			<-time.After(d) // of the synctest clock
			synctest.Wait()
			if closed != want {
				t.Errorf("closed: got %t, want %t", closed, want)
			}
		}
		step(time.Hour, false)
		first()
		step(time.Hour, false)
		second()
		step(unusedMin/2, false)
		late := u.Begin() // had been read just before
		step(time.Minute, false)
		late()
		step(unusedMin+2*unusedStep, true)
		if !errors.Is(failure, fault) {
			t.Errorf("failure of closing: got %v, want it reported", failure)
		}
	})
}
