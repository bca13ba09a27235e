package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
)

var (
	// ErrEnded says that the instance has ended: another process has ended it, or it was closed.
	ErrEnded = errors.New("this instance has ended")
	// ErrSilent says that others may consider the instance lost, until its next heartbeat.
	ErrSilent = errors.New("this instance could not send its heartbeat")
)

// Config configures an instance.
type Config struct {
	// DB is a dedicated connection: a heartbeat must not wait for other statements. Required.
	DB db.DBTX
	// Terms can be changed while the instance runs.
	Terms
	// File is the path of the file whose lock shows that the process lives, on a file system of this machine. Its
	// directory is created. Empty: no lock, and others can take over its work only after LostAfter.
	File string
	// Logger is required.
	Logger *slog.Logger
	// OnEnd, if set, is called once, when another process has ended the instance.
	OnEnd func()
}

// Terms say when others consider the instance lost.
type Terms struct {
	// Heartbeat is the time between heartbeats. Default: a sixth of LostAfter, at most 10 s.
	Heartbeat time.Duration
	// LostAfter is how long it may be silent. At least three heartbeats. Default: a minute.
	LostAfter time.Duration
}

func (t Terms) withDefaults() Terms {
	const lostAfter, heartbeatMost, beats = time.Minute, 10 * time.Second, 6
	if t.LostAfter == 0 {
		t.LostAfter = lostAfter
	}
	if t.Heartbeat == 0 {
		t.Heartbeat = min(heartbeatMost, t.LostAfter/beats)
	}
	return t
}

const (
	// retryEvery is how soon a failed heartbeat is tried again, and the least time between early heartbeats.
	retryEvery = 500 * time.Millisecond
	// beatTimeout bounds a heartbeat, as does a third of LostAfter: two fit in before the instance counts as lost.
	beatTimeout = 5 * time.Second
	// lockEvery is how often a lock that another process holds is tried again.
	lockEvery = time.Second
)

// Instance is this process. It is safe for concurrent use.
type Instance struct {
	id  uuid.UUID
	cfg Config
	q   *db.Queries

	lease atomic.Pointer[lease]
	ended chan struct{} // closed when the instance has ended
	wake  chan struct{} // holds one token: an early heartbeat is wanted
	stop  context.CancelFunc
	done  chan struct{}

	mu        sync.Mutex // held during database statements
	terms     Terms
	settles   []string
	contact   contact
	lock      *lock // nil while another process holds it
	succeeded bool  // the lock's last holder was ended
	triedAt   time.Time

	changedMu sync.Mutex
	changed   chan struct{}
}

// lease is how long no other process can consider the instance lost.
type lease struct {
	beganAt time.Time
	lasts   time.Duration
}

// Open registers a new instance. It ends the predecessor if the predecessor's process is certainly gone.
func Open(ctx context.Context, cfg Config) (*Instance, error) {
	cfg.Terms = cfg.withDefaults()
	i := &Instance{
		id: uuid.Must(uuid.NewV7()), cfg: cfg, q: db.New(cfg.DB), terms: cfg.Terms,
		ended: make(chan struct{}), wake: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{}),
	}
	i.tryLock()
	began := time.Now()
	host, file := i.lock.place()
	at, err := i.q.RegisterInstance(ctx, db.RegisterInstanceParams{
		ID: i.id, LostAfterSeconds: i.terms.LostAfter.Seconds(), Host: host, File: file,
	})
	if err == nil {
		i.heard(began, at)
		err = i.succeed(ctx)
	}
	if err != nil {
		i.lock.free()
		return nil, fmt.Errorf("registering this instance (is the schema migrated? run `turnpike migrate`): %w", err)
	}
	var background context.Context
	background, i.stop = context.WithCancel(context.WithoutCancel(ctx))
	go i.run(background)
	return i, nil
}

// ID marks what the process has started.
func (i *Instance) ID() uuid.UUID { return i.id }

// Live returns nil as long as no other process can have taken over the work of this one; otherwise ErrEnded or
// ErrSilent. It reads the monotonic and the wall clock and uses the one by which more time has passed: the first stands
// still while the machine sleeps, and the second may be set.
func (i *Instance) Live() error {
	select {
	case <-i.ended:
		return ErrEnded
	default:
	}
	l, now := i.lease.Load(), time.Now()
	if max(now.Sub(l.beganAt), now.Round(0).Sub(l.beganAt.Round(0))) < l.lasts {
		return nil
	}
	i.hasten()
	return ErrSilent
}

// Change sets new terms.
func (i *Instance) Change(terms Terms) {
	i.mu.Lock()
	i.terms = terms.withDefaults()
	i.mu.Unlock()
	i.hasten()
}

// Announce tells the other instances what this process settles, each as "network/asset": they then leave its claims on
// these to it, and take over claims on anything else. If Announce fails, the next heartbeat announces it.
func (i *Instance) Announce(ctx context.Context, settles []string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.settles = slices.Clone(settles)
	return i.beat(ctx)
}

// Changed returns a channel that is closed the next time that this process ends other instances. Get the channel first,
// then look for work that they left, so that no change is missed.
func (i *Instance) Changed() <-chan struct{} {
	i.changedMu.Lock()
	defer i.changedMu.Unlock()
	return i.changed
}

// Close ends the instance: others may take over its work at once. Everything that uses the instance must have stopped.
func (i *Instance) Close(ctx context.Context) error {
	i.stop()
	<-i.done
	i.mu.Lock()
	defer i.mu.Unlock()
	defer i.lock.free()
	if !i.over() {
		return nil // another process has ended it
	}
	if err := i.q.EndInstance(ctx, i.id); err != nil {
		return fmt.Errorf("ending this instance: %w", err)
	}
	return nil
}

// over marks the instance as ended, and reports whether it was alive before.
func (i *Instance) over() bool {
	select {
	case <-i.ended:
		return false
	default:
		close(i.ended)
		return true
	}
}

// hasten requests an early heartbeat.
func (i *Instance) hasten() {
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// run sends heartbeats and judges the other instances, until this one ends.
func (i *Instance) run(ctx context.Context) {
	defer close(i.done)
	timer := time.NewTimer(min(i.cfg.Heartbeat, lockEvery))
	defer timer.Stop()
	nextBeat := time.Now().Add(i.cfg.Heartbeat)
	for {
		hastened := false
		select {
		case <-ctx.Done():
			return
		case <-i.ended:
			return
		case <-timer.C:
		case <-i.wake:
			hastened = true
		}
		nextBeat = i.round(ctx, nextBeat, hastened)
		wait := time.Until(nextBeat)
		if i.lacksLock() {
			wait = min(wait, lockEvery)
		}
		timer.Reset(max(wait, 0))
	}
}

// round does what is due, and returns the time of the next heartbeat.
func (i *Instance) round(ctx context.Context, nextBeat time.Time, hastened bool) time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	isNew := i.tryLock()
	if soon := i.triedAt.Add(retryEvery); hastened && soon.Before(nextBeat) {
		nextBeat = soon
	}
	if !isNew && time.Now().Before(nextBeat) {
		return nextBeat
	}
	err := i.beat(ctx)
	if err == nil {
		err = i.succeed(ctx)
	}
	if err == nil {
		err = i.judge(ctx)
	}
	if err == nil || errors.Is(err, ErrEnded) || ctx.Err() != nil {
		return i.triedAt.Add(i.terms.Heartbeat)
	}
	i.cfg.Logger.Error("this instance's heartbeat failed and will be retried", "error", err)
	return i.triedAt.Add(min(retryEvery, i.terms.Heartbeat))
}

// beat sends a heartbeat. The mutex must be held.
func (i *Instance) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(beatTimeout, i.terms.LostAfter/3))
	defer cancel()
	i.triedAt = time.Now()
	host, file := i.lock.place()
	at, err := i.q.BeatInstance(ctx, db.BeatInstanceParams{
		ID: i.id, LostAfterSeconds: i.terms.LostAfter.Seconds(), Host: host, File: file, Settles: append([]string{}, i.settles...),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		if i.over() {
			i.cfg.Logger.Error("another process considered this instance lost and ended it", "instance", i.id)
			if i.cfg.OnEnd != nil {
				go i.cfg.OnEnd()
			}
		}
		return ErrEnded
	case err != nil:
		i.contact.lost()
		return fmt.Errorf("sending the heartbeat: %w", err)
	}
	i.heard(i.triedAt, at)
	return nil
}

// heard records a successful heartbeat: when it was started, and the database's time.
func (i *Instance) heard(began, at time.Time) {
	i.lease.Store(&lease{began, i.terms.LostAfter})
	i.contact.heard(at, i.terms.Heartbeat)
}

// judge ends the lost instances. The mutex must be held.
func (i *Instance) judge(ctx context.Context) error {
	ended, err := i.contact.judge(ctx, i.q, i.terms.LostAfter)
	if ended > 0 {
		i.cfg.Logger.Warn("other instances sent no heartbeat for too long and were ended", "instances", ended)
		i.ring()
	}
	return err
}

func (i *Instance) ring() {
	i.changedMu.Lock()
	defer i.changedMu.Unlock()
	close(i.changed)
	i.changed = make(chan struct{})
}
