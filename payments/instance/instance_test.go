package instance

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// land is a database with instances.
type land struct {
	*testing.T
	pool *pgxpool.Pool
}

func newLand(t *testing.T) *land {
	t.Helper()
	url := pgtest.New(t, func(ctx context.Context, url string) error {
		_, err := db.Migrate(ctx, url)
		return err
	})
	pool := pgtest.Open(t, url, nil)
	return &land{t, pool}
}

// open opens an instance that sends a heartbeat once an hour by itself.
func (l *land) open(change func(*Config)) *Instance {
	l.Helper()
	cfg := Config{DB: l.pool, Terms: Terms{Heartbeat: time.Hour, LostAfter: 6 * time.Hour}, Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&cfg)
	}
	i, err := Open(l.Context(), cfg)
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { _ = i.Close(context.Background()) })
	return i
}

func at(path string) func(*Config) { return func(c *Config) { c.File = path } }

// die ends the process of an instance as others see it: its heartbeats stop, and its lock is free.
func (l *land) die(i *Instance) {
	l.Helper()
	i.stop()
	<-i.done
	i.lock.free()
}

func (l *land) exec(statement string, args ...any) {
	l.Helper()
	if _, err := l.pool.Exec(l.Context(), statement, args...); err != nil {
		l.Fatalf("%s: %v", statement, err)
	}
}

func (l *land) lives(id uuid.UUID) bool {
	l.Helper()
	var lives bool
	if err := l.pool.QueryRow(l.Context(), `select instance_lives($1)`, id).Scan(&lives); err != nil {
		l.Fatal(err)
	}
	return lives
}

// eventually waits for something that an instance does by itself.
func (l *land) eventually(what string, is func() bool) {
	l.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-limit.C:
			l.Fatalf("it does not come to this: %s", what)
		}
	}
}

func TestInstanceTellsOfItself(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	i := l.open(nil)
	i.Change(Terms{Heartbeat: time.Minute, LostAfter: 4 * time.Minute})
	if err := i.Announce(t.Context(), []string{"eip155:1/0xA"}); err != nil {
		t.Fatal(err)
	}
	var lostAfter time.Duration
	var settles []string
	const row = `select lost_after, settles from edge where id = $1 and ended_at is null`
	if err := l.pool.QueryRow(t.Context(), row, i.ID()).Scan(&lostAfter, &settles); err != nil {
		t.Fatal(err)
	}
	if lostAfter != 4*time.Minute || !slices.Equal(settles, []string{"eip155:1/0xA"}) {
		t.Errorf("got lost after %s and %v, want what was said", lostAfter, settles)
	}
	if err := i.Live(); err != nil {
		t.Errorf("live: got %v", err)
	}
	if err := i.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := i.Live(); !errors.Is(err, ErrEnded) || l.lives(i.ID()) {
		t.Errorf("closed: got %v, in the database %v; want it ended", err, l.lives(i.ID()))
	}
}

// An instance that another one has ended stays ended, whether its row still exists or not.
func TestEndedInstance(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"ended": `update edge set ended_at = now() where id = $1`, "forgotten": `delete from edge where id = $1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLand(t)
			told := make(chan struct{}, 2)
			i := l.open(func(c *Config) { c.OnEnd = func() { told <- struct{}{} } })
			l.exec(statement, i.ID())
			for range 2 {
				if err := i.Announce(t.Context(), nil); !errors.Is(err, ErrEnded) {
					t.Errorf("beat: got %v, want ErrEnded", err)
				}
			}
			<-told
			if err := i.Live(); !errors.Is(err, ErrEnded) {
				t.Errorf("live: got %v, want ErrEnded", err)
			}
			if l.lives(i.ID()) {
				t.Error("it lives again")
			}
			if err := i.Close(t.Context()); err != nil {
				t.Errorf("close: %v", err)
			}
			if len(told) > 0 {
				t.Error("its end was told twice")
			}
		})
	}
}

// The lease is over when either clock says so, and the next call of Live triggers a heartbeat.
func TestLease(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	i := l.open(nil)
	now := time.Now()
	for name, began := range map[string]time.Time{
		"both clocks":    now.Add(-7 * time.Hour),
		"the wall clock": now.Round(0).Add(-7 * time.Hour),
	} {
		i.lease.Store(&lease{began, 6 * time.Hour})
		if err := i.Live(); !errors.Is(err, ErrSilent) {
			t.Errorf("%s: got %v, want ErrSilent", name, err)
		}
	}
	l.eventually("it lives", func() bool { return i.Live() == nil })
}

// A process ends a lost instance whose lock it gets, unless the lock is another host's or that of a copied file.
func TestSuccessor(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	file := filepath.Join(t.TempDir(), "sub", "instance")
	first := l.open(at(file))
	second := l.open(at(file))
	if !l.lives(first.ID()) {
		t.Fatal("an instance was ended whose process lives")
	}
	copied := filepath.Join(t.TempDir(), "instance")
	text, err := os.ReadFile(file)
	if err != nil || string(text) != first.ID().String()+"\n" {
		t.Fatalf("file: got %q, %v, want the id of the first", text, err)
	}
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		t.Fatal(err)
	}
	l.open(at(copied))
	if !l.lives(first.ID()) {
		t.Fatal("an instance was ended by a copy of its file")
	}
	changed := second.Changed()
	l.die(first)
	<-changed // it tries again by itself
	if l.lives(first.ID()) || !l.lives(second.ID()) {
		t.Errorf("lives: got the first %v, the second %v, want the second alone", l.lives(first.ID()), l.lives(second.ID()))
	}
	l.die(second)
	third := l.open(at(file))
	if l.lives(second.ID()) {
		t.Error("its successor has not ended it")
	}
	l.exec(`update edge set host = 'another' where id = $1`, third.ID())
	l.die(third)
	l.open(at(file))
	if !l.lives(third.ID()) {
		t.Error("an instance was ended whose lock another kernel keeps")
	}
}

// An instance starts even if its file cannot be locked.
func TestNoSuccessor(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	i := l.open(at(filepath.Join(blocked, "instance")))
	if err := i.Live(); err != nil || i.lacksLock() {
		t.Errorf("got %v, and that the lock is tried again: %v", err, i.lacksLock())
	}
	garbled := filepath.Join(t.TempDir(), "instance")
	if err := os.WriteFile(garbled, []byte("no id\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.open(at(garbled))
}

// An instance is lost when its heartbeats have stopped for its lost_after, provided that the judge has listened long enough.
func TestJudge(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	i := l.open(func(c *Config) { c.Terms = Terms{Heartbeat: time.Minute, LostAfter: 3 * time.Minute} })
	silent := func(lostAfter any, silence string) uuid.UUID {
		id := uuid.New()
		l.exec(`insert into edge (id, lost_after, heartbeat_at) values ($1, $2, now() - $3::text::interval)`, id, lostAfter, silence)
		return id
	}
	judge := func(heard time.Duration) {
		t.Helper()
		i.contact.since = i.contact.last.Add(-heard)
		if err := i.judge(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	lost, alive := silent(9*time.Minute, "10 minutes"), silent(9*time.Minute, "8 minutes")
	hasty, old := silent(time.Minute, "2 minutes"), silent(nil, "8 minutes")
	want := func(when string, living ...uuid.UUID) {
		t.Helper()
		for _, id := range []uuid.UUID{lost, alive, hasty, old} {
			if got := l.lives(id); got != slices.Contains(living, id) {
				t.Errorf("%s: %s lives: got %v", when, map[uuid.UUID]string{lost: "lost", alive: "alive", hasty: "hasty", old: "old"}[id], got)
			}
		}
	}
	judge(5 * time.Minute)
	want("listened for too short", lost, alive, hasty, old)
	changed := i.Changed()
	judge(7 * time.Minute)
	want("listened for long enough", alive, hasty, old) // hasty: the judge's own limit has not passed
	select {
	case <-changed:
	default:
		t.Error("nobody was told that one was ended")
	}
	l.exec(`update edge set heartbeat_at = now() - interval '4 minutes' where id = $1`, hasty)
	l.exec(`update edge set heartbeat_at = now() - interval '10 minutes' where id = $1`, old) // judged by the longest limit
	judge(7 * time.Minute)
	want("silent for longer", alive)
	if !l.lives(i.ID()) {
		t.Error("it has ended itself")
	}
	l.exec(`update edge set ended_at = now() - interval '2 hours' where id = $1`, lost)
	judge(7 * time.Minute)
	var rows int
	if err := l.pool.QueryRow(t.Context(), `select count(*) from edge where id = $1`, lost).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("one that ended long ago: got %d rows, %v, want it forgotten", rows, err)
	}
	i.contact.lost()
	l.exec(`update edge set heartbeat_at = now() - interval '1 day' where id = $1`, alive)
	if err := i.judge(t.Context()); err != nil || !l.lives(alive) {
		t.Errorf("after a break: got %v, lives %v, want it left alone", err, l.lives(alive))
	}
}

// TestJudgeRounds shows that a judge without an instance reports how long it still has to listen.
func TestJudgeRounds(t *testing.T) {
	t.Parallel()
	l := newLand(t)
	id := uuid.New()
	l.exec(`insert into edge (id, lost_after, heartbeat_at) values ($1, interval '9 minutes', now() - interval '10 minutes')`, id)
	j := NewJudge(l.pool, time.Minute)
	silent, wait, err := j.Round(t.Context())
	if err != nil || silent != 1 || wait != 6*time.Minute || !l.lives(id) {
		t.Fatalf("first: got %d silent, %s to wait, %v, want one and 6m", silent, wait, err)
	}
	j.contact.since = j.contact.since.Add(-7 * time.Minute)
	if silent, _, err := j.Round(t.Context()); err != nil || silent != 0 || l.lives(id) {
		t.Errorf("later: got %d silent, %v, want it ended", silent, err)
	}
}

func TestContact(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1_790_000_000, 0)
	for name, tt := range map[string]struct {
		heard []int // seconds; -1: a failure
		since int
	}{
		"unbroken":          {[]int{0, 10, 20, 30}, 0},
		"a beat that fails": {[]int{0, 10, -1, 20, 30}, 20},
		"stopped":           {[]int{0, 10, 60, 70}, 60},
		"a clock set back":  {[]int{20, 30, 25, 35}, 25},
		"a little late":     {[]int{0, 14, 24}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c contact
			for _, s := range tt.heard {
				if s < 0 {
					c.lost()
				} else {
					c.heard(begin.Add(time.Duration(s)*time.Second), 10*time.Second)
				}
			}
			if got := int(c.since.Sub(begin).Seconds()); got != tt.since {
				t.Errorf("since: got %d s, want %d s", got, tt.since)
			}
		})
	}
}

// TestLockIsKept shows that a new file in place of the locked one is a different file.
func TestLockIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "instance")
	first, err := openLock(path)
	if err != nil || first == nil {
		t.Fatalf("got %v, %v", first, err)
	}
	defer first.free()
	if again, err := openLock(path); err != nil || again != nil {
		t.Errorf("while it is locked: got %v, %v, want none", again, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	other, err := openLock(path)
	if err != nil || other == nil || other.file == first.file {
		t.Fatalf("of another file: got %+v, %v", other, err)
	}
	defer other.free()
	id := uuid.New()
	if err := other.hold(id); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(other.f); err != nil || string(text) != id.String()+"\n" {
		t.Errorf("got %q, %v", text, err)
	}
	if got, ok := other.holder(); !ok || got != id {
		t.Errorf("holder: got %v, %v, want %v", got, ok, id)
	}
}

// BenchmarkLive is the cost for each metered request: less than 100 ns.
func BenchmarkLive(b *testing.B) {
	i := &Instance{ended: make(chan struct{})}
	i.lease.Store(&lease{time.Now(), time.Hour})
	b.ReportAllocs()
	for b.Loop() {
		if err := i.Live(); err != nil {
			b.Fatal(err)
		}
	}
}
