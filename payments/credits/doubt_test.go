package credits

import (
	"errors"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// unkept delays upkeep until the end of the test, so that only the meter can lose something.
type unkept struct {
	Instance
	end <-chan struct{}
}

func (u unkept) Changed() <-chan struct{} {
	<-u.end
	return nil
}

// An error that ends the session does not tell whether the commit before it succeeded, whether the server sends it as
// it shuts down or a pooler that has lost the server. What the batch held is released, and what it captured is captured once.
func TestCommitIsInDoubtWhenTheSessionEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := pgtest.NewLoser(t, b.url)
	m := b.meter(t, func(c *Config) { c.URL, c.Instance = l.URL, unkept{c.Instance, t.Context().Done()} })
	account, key := b.account(t, 1000)
	balance := int64(1000)
	for _, lost := range []struct{ severity, code, message string }{
		{"FATAL", "08P01", "server closed the connection unexpectedly"},
		{"FATAL", "08006", "connection failure"},
		{"FATAL", "57P01", "terminating connection due to administrator command"},
		{"FATAL", "25P03", "terminating connection due to idle-in-transaction timeout"},
		{"FATAL", "XX000", "the pooler is out of its mind"},
		{"PANIC", "53100", "could not write to file"},
		{"ERROR", "08P01", "protocol violation"},
		{"ERROR", "40003", "statement completion unknown"},
	} {
		name := lost.severity + " " + lost.code
		l.LoseNext(lost.severity, lost.code, lost.message)
		if d, err := m.Authorize(t.Context(), request(account, key, 5)); !errors.Is(err, ErrOverloaded) {
			t.Errorf("%s: got %+v, %v; want no decision", name, d, err)
		}
		hold := b.hold(t, m, request(account, key, 5))
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.balance(t, account); int64(got.Balance) != balance || got.Held != 5 {
			t.Errorf("%s: got %+v, want %d with the 5 held that were accepted", name, got, balance)
		}
		l.LoseNext(lost.severity, lost.code, lost.message)
		m.Capture(hold, 3)
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		balance -= 3
		if got := b.balance(t, account); int64(got.Balance) != balance || got.Held != 0 {
			t.Errorf("%s: got %+v, want %d with nothing held", name, got, balance)
		}
	}
	if m.Lost() != 0 {
		t.Errorf("got %d captures lost, want none", m.Lost())
	}
	b.sound(t)
}
