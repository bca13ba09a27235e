package apikey

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
)

// away is a database that is unreachable until it is switched on.
type away struct {
	is      bool
	written [][]int64
}

var errAway = errors.New("away")

func (a *away) Exec(_ context.Context, _ string, args ...any) (pgconn.CommandTag, error) {
	if a.is {
		return pgconn.CommandTag{}, errAway
	}
	a.written = append(a.written, args[0].([]int64))
	return pgconn.CommandTag{}, nil
}

func (*away) Query(context.Context, string, ...any) (pgx.Rows, error) { return nil, errAway }
func (*away) QueryRow(context.Context, string, ...any) pgx.Row        { return nil }

func (*away) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, errAway
}

// A key that is used often is written once. What could not be written is written later.
func TestUsesAreKeptWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	d := &away{is: true}
	u := &uses{q: db.New(d)}
	one, two := &use{key: 1}, &use{key: 2}
	now := time.Now()
	for i := range 10 {
		u.note(one, now.Add(time.Duration(i)*time.Second))
	}
	u.note(two, now)
	if err := u.flush(t.Context()); !errors.Is(err, errAway) {
		t.Fatalf("got %v, want the database's error", err)
	}
	u.note(one, now.Add(time.Minute))
	d.is = false
	if err := u.flush(t.Context()); err != nil || len(d.written) != 1 || len(d.written[0]) != 2 {
		t.Errorf("got %v written and %v, want both keys once", d.written, err)
	}
	if err := u.flush(t.Context()); err != nil || len(d.written) != 1 {
		t.Errorf("with nothing new: got %v written and %v, want no more", d.written, err)
	}
}

// 20 ns or less: a load and, once a second, a store.
func BenchmarkNote(b *testing.B) {
	u, e, now := &uses{}, &use{key: 1}, time.Now()
	b.ReportAllocs()
	for b.Loop() {
		u.note(e, now)
	}
}
