package apikey_test

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/apikey"
)

// lastUsed returns when each key of the team was last used.
func (b *bundle) lastUsed(t *testing.T) map[string]*time.Time {
	t.Helper()
	list, err := b.admin.List(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]*time.Time{}
	for i := range list {
		at[list[i].ID] = list[i].LastUsedAt
	}
	return at
}

// use resolves a key. It tries again when a busy machine exceeds the store's timeout.
func (b *bundle) use(t *testing.T, s *apikey.Store, key string) {
	t.Helper()
	var err error
	for range 50 {
		if _, err = s.Resolve(t.Context(), key); err == nil || errors.Is(err, apikey.ErrInvalid) {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// Two edges see a key at different times. The later time is kept, whichever edge writes last. A refused key was not used.
func TestLastUsedIsTheLatest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	end := time.Now().Add(time.Hour)
	used, idle := b.create(t), b.create(t)
	expiring, err := b.admin.Create(t.Context(), apikey.NewKey{TeamID: team, ExpiresAt: &end})
	if err != nil {
		t.Fatal(err)
	}
	base := time.Now().Truncate(time.Second)
	edge := func(at time.Time) *apikey.Store {
		s := apikey.NewStore(b.pool, func() time.Time { return at })
		s.Watch(slog.New(slog.DiscardHandler))
		return s
	}
	early, late := edge(base.Add(2*time.Hour)), edge(base.Add(3*time.Hour))
	for _, s := range []*apikey.Store{early, late} {
		if _, err := s.Resolve(t.Context(), used.Key); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Resolve(t.Context(), expiring.Key); !errors.Is(err, apikey.ErrInvalid) {
			t.Fatalf("got %v, want it expired", err)
		}
	}
	if got := b.lastUsed(t)[used.ID]; got != nil {
		t.Errorf("before anything is written: got %s, want never", got)
	}
	late.Close()
	early.Close()
	if got := b.lastUsed(t)[used.ID]; got == nil || !got.Equal(base.Add(3*time.Hour)) {
		t.Errorf("used by both: got %v, want the later", got)
	}
	for _, id := range []string{idle.ID, expiring.ID} {
		if got := b.lastUsed(t)[id]; got != nil {
			t.Errorf("%s: got %s, want never", id, got)
		}
	}
}

// Many edges write the same keys at once, each in its own order, without a deadlock. What cannot be written is kept for later.
func TestLastUsedFromManyEdges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const keys, edges = 60, 6
	var created [keys]apikey.Created
	for i := range created {
		created[i] = b.create(t)
	}
	base := time.Now().Truncate(time.Second)
	var clock atomic.Int64
	var stores [edges]*apikey.Store
	for e := range stores {
		stores[e] = apikey.NewStore(b.pool, func() time.Time { return base.Add(time.Duration(clock.Load()) * time.Second) })
	}
	const apart = 11 * 60 // seconds; uses less than ten minutes apart count as one
	for round := range 5 {
		clock.Store(int64(round) * apart)
		var all sync.WaitGroup
		for e, s := range stores {
			all.Go(func() {
				for i := range created {
					b.use(t, s, created[(i*7+e*11)%keys].Key)
				}
				if err := s.Flush(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		lastUsed := b.lastUsed(t)
		for i := range created {
			if got, want := lastUsed[created[i].ID], base.Add(time.Duration(round)*apart*time.Second); got == nil || !got.Equal(want) {
				t.Fatalf("round %d, key %d: got %v, want %s", round, i, got, want)
			}
		}
		clock.Add(60) // a use soon after a recorded one is not recorded
		b.use(t, stores[0], created[0].Key)
		if err := stores[0].Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.lastUsed(t)[created[0].ID]; !got.Equal(*lastUsed[created[0].ID]) {
			t.Errorf("round %d: got %s a minute later, want %s still", round, got, lastUsed[created[0].ID])
		}
	}
}
