package idempotency_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// desk is a store with a team.
type desk struct {
	t     *testing.T
	pool  *pgxpool.Pool
	store *idempotency.Store
	team  string
}

func setup(t *testing.T, lease time.Duration) *desk {
	t.Helper()
	pool := pgtest.Open(t, pgtest.New(t, func(ctx context.Context, url string) error {
		_, err := db.Migrate(ctx, url)
		return err
	}), nil)
	_, err := db.New(pool).CreateTeam(t.Context(), db.CreateTeamParams{ID: "team_1", Name: "test"})
	must(t, err)
	return &desk{t: t, pool: pool, store: idempotency.New(db.New(pool), lease), team: "team_1"}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (d *desk) request(key, body string) *idempotency.Request {
	return &idempotency.Request{TeamID: d.team, Route: "POST /x", Key: key, SHA256: sha256.Sum256([]byte(body)), Identity: uuid.NewString(), Payer: uuid.New()}
}

func (d *desk) begin(r *idempotency.Request) *idempotency.Attempt {
	d.t.Helper()
	attempt, answer, err := d.store.Begin(d.t.Context(), r)
	if err != nil || attempt == nil || answer != nil {
		d.t.Fatalf("got %v, %v, %v, want an attempt", attempt, answer, err)
	}
	return attempt
}

func (d *desk) wantInProgress(r *idempotency.Request) {
	d.t.Helper()
	attempt, answer, err := d.store.Begin(d.t.Context(), r)
	under, ok := errors.AsType[*idempotency.InProgressError](err)
	if !ok || attempt != nil || answer != nil || under.Left < 0 || under.Left > idempotency.LeaseDefault {
		d.t.Fatalf("got %v, %v, %v, want it in progress", attempt, answer, err)
	}
}

func (d *desk) wantAnswer(r *idempotency.Request, want idempotency.Answer) {
	d.t.Helper()
	attempt, answer, err := d.store.Begin(d.t.Context(), r)
	if err != nil || attempt != nil || answer == nil {
		d.t.Fatalf("got %v, %v, %v, want an answer", attempt, answer, err)
	}
	if answer.Status != want.Status || !bytes.Equal(answer.Body, want.Body) || (answer.Body == nil) != (want.Body == nil) || answer.Identity != want.Identity {
		d.t.Errorf("got %+v, want %+v", *answer, want)
	}
}

func (d *desk) set(what string) {
	d.t.Helper()
	_, err := d.pool.Exec(d.t.Context(), "update idempotency set "+what)
	must(d.t, err)
}

func TestOneOfMany(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	var all sync.WaitGroup
	won := make(chan *idempotency.Attempt, 64)
	for range 64 {
		all.Go(func() {
			attempt, _, err := d.store.Begin(t.Context(), d.request("k", "body"))
			if _, under := errors.AsType[*idempotency.InProgressError](err); err != nil && !under {
				t.Errorf("got %v, want nil or that it is in progress", err)
			}
			if attempt != nil {
				won <- attempt
			}
		})
	}
	all.Wait()
	if len(won) != 1 {
		t.Fatalf("got %d attempts, want 1", len(won))
	}
	attempt := <-won
	must(t, attempt.Record(t.Context(), nil, 201, 0, []byte("{}")))
	d.wantAnswer(d.request("k", "body"), idempotency.Answer{Status: 201, Body: []byte("{}"), Identity: attempt.Identity})
	if _, _, err := d.store.Begin(t.Context(), d.request("k", "another")); !errors.Is(err, idempotency.ErrReused) {
		t.Errorf("got %v, want ErrReused", err)
	}
	// A recorded response is not overwritten.
	if err := attempt.Record(t.Context(), nil, 200, 0, nil); !errors.Is(err, idempotency.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
	must(t, attempt.Release(t.Context()))
	d.wantAnswer(d.request("k", "body"), idempotency.Answer{Status: 201, Body: []byte("{}"), Identity: attempt.Identity})
}

func TestRecordInTheWorksTransaction(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	first, request := d.begin(d.request("k", "body")), d.request("k", "body")
	undone := errors.New("undone")
	err := pgx.BeginFunc(t.Context(), d.pool, func(tx pgx.Tx) error {
		must(t, first.Record(t.Context(), tx, 200, 0, []byte("never")))
		return undone
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	d.wantInProgress(request)
	must(t, pgx.BeginFunc(t.Context(), d.pool, func(tx pgx.Tx) error {
		return first.Record(t.Context(), tx, 200, 0, []byte("done"))
	}))
	d.wantAnswer(request, idempotency.Answer{Status: 200, Body: []byte("done"), Identity: first.Identity})
}

func TestBodies(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	largest := bytes.Repeat([]byte("x"), idempotency.BodyBytesMax)
	for key, tt := range map[string]struct{ given, want []byte }{
		"none":      {nil, nil},
		"empty":     {[]byte{}, []byte{}},
		"largest":   {largest, largest},
		"too large": {append(bytes.Clone(largest), 'x'), nil},
	} {
		attempt := d.begin(d.request(key, key))
		must(t, attempt.Record(t.Context(), nil, 200, 0, tt.given))
		d.wantAnswer(d.request(key, key), idempotency.Answer{Status: 200, Body: tt.want, Identity: attempt.Identity})
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	first := d.begin(d.request("k", "body"))
	must(t, first.Release(t.Context()))
	second := d.request("k", "another")
	if got := d.begin(second); got.Identity != second.Identity {
		t.Errorf("got identity %s, want its own", got.Identity)
	}
	// An attempt that lost its key can neither record nor release it.
	if err := first.Record(t.Context(), nil, 200, 0, nil); !errors.Is(err, idempotency.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
	must(t, first.Release(t.Context()))
	d.wantInProgress(d.request("k", "another"))
}

func TestTakeover(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	first := d.begin(d.request("k", "body"))
	d.set("locked_until = now()")
	if _, _, err := d.store.Begin(t.Context(), d.request("k", "another")); !errors.Is(err, idempotency.ErrReused) {
		t.Errorf("got %v, want ErrReused", err)
	}
	second := d.begin(d.request("k", "body"))
	if second.Identity != first.Identity {
		t.Errorf("got identity %s, want the first one's %s", second.Identity, first.Identity)
	}
	for what, err := range map[string]error{
		"at once": first.Record(t.Context(), nil, 200, 0, nil),
		"in a transaction": pgx.BeginFunc(t.Context(), d.pool, func(tx pgx.Tx) error {
			return first.Record(t.Context(), tx, 200, 0, nil)
		}),
	} {
		if !errors.Is(err, idempotency.ErrLost) {
			t.Errorf("%s: got %v, want ErrLost", what, err)
		}
	}
	// A release leaves the key and its identity to the next attempt.
	must(t, second.Release(t.Context()))
	if third := d.begin(d.request("k", "body")); third.Identity != first.Identity {
		t.Errorf("got identity %s, want the first one's %s", third.Identity, first.Identity)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	must(t, d.begin(d.request("done", "body")).Record(t.Context(), nil, 200, 0, nil))
	d.begin(d.request("running", "body"))
	purged := func(want int64) {
		t.Helper()
		if n, err := d.store.Purge(t.Context(), 10); err != nil || n != want {
			t.Errorf("got %d, %v purged, want %d", n, err, want)
		}
	}
	purged(0)
	d.set("expires_at = now()")
	d.wantInProgress(d.request("running", "body")) // running for a day
	fresh := d.request("done", "another")
	if got := d.begin(fresh); got.Identity != fresh.Identity {
		t.Errorf("got identity %s, want its own", got.Identity)
	}
	purged(0)
	d.set("expires_at = now(), locked_until = now()")
	purged(2)
}

func TestKeepRenews(t *testing.T) {
	t.Parallel()
	d := setup(t, 30*time.Millisecond)
	attempt := d.begin(d.request("k", "body"))
	until := func() (at time.Time) {
		must(t, d.pool.QueryRow(t.Context(), `select locked_until from idempotency`).Scan(&at))
		return at
	}
	begun := until()
	stop := attempt.Keep(t.Context())
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !until().After(begun) {
		select {
		case <-tick.C:
		case <-time.After(20 * time.Second):
			t.Fatal("the lease was not renewed")
		}
	}
	stop()
	stop() // a second stop does nothing
}
