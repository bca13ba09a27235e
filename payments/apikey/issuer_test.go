package apikey_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/apikey"
)

func TestParseScopes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{"read", "read"},
		{"billing,read", "read,billing"},
		{"write,write", "write"},
		{"read,write,billing", "read,write,billing"},
	} {
		var names []string
		if tc.in != "" {
			names = strings.Split(tc.in, ",")
		}
		got, err := apikey.ParseScopes(names)
		if err != nil || got.String() != tc.want {
			t.Errorf("%q: got %q, %v, want %q", tc.in, got, err, tc.want)
		}
	}
	for _, bad := range []string{"Read", "admin", "", "read "} {
		if got, err := apikey.ParseScopes([]string{"read", bad}); err == nil || got != 0 {
			t.Errorf("%q: got %v, %v, want an error", bad, got, err)
		}
	}
}

func (b *bundle) createAs(t *testing.T, by string, scopes apikey.Scopes) (apikey.Created, error) {
	t.Helper()
	return b.admin.Create(t.Context(), apikey.NewKey{TeamID: team, MadeBy: by, Scopes: scopes})
}

// The first key of a team has every scope, since someone must be able to do everything. Later keys have the scopes that
// were asked for.
func TestScopesOfNewKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.create(t), b.create(t)
	if first.Scopes != apikey.ScopesAll || second.Scopes != apikey.ScopesUsual {
		t.Errorf("got %s and then %s, want all and then the usual", first.Scopes, second.Scopes)
	}
	billing, err := b.createAs(t, first.ID, apikey.ScopeBilling|apikey.ScopeRead)
	if err != nil || billing.Scopes != apikey.ScopeBilling|apikey.ScopeRead {
		t.Fatalf("by the first key: got %s, %v, want read,billing", billing.Scopes, err)
	}
	usual, err := b.createAs(t, first.ID, 0)
	if err != nil || usual.Scopes != apikey.ScopesUsual {
		t.Errorf("by a key, without saying: got %s, %v, want the usual", usual.Scopes, err)
	}
	for _, tc := range []struct {
		name, by        string
		wanted, missing apikey.Scopes
	}{
		{"more than it has", billing.ID, apikey.ScopesAll, apikey.ScopeWrite},
		{"another than it has", second.ID, apikey.ScopeBilling, apikey.ScopeBilling},
		{"the usual, which it has not", billing.ID, 0, apikey.ScopeWrite},
		{"by an unknown key", "key_none", apikey.ScopeRead, 0},
	} {
		_, err := b.createAs(t, tc.by, tc.wanted)
		refused, ok := errors.AsType[*apikey.ScopeError](err)
		if !ok || refused.Missing != tc.missing {
			t.Errorf("%s: got %v, want a ScopeError for %s", tc.name, err, tc.missing)
		}
	}
	if _, err := b.admin.Revoke(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.createAs(t, first.ID, apikey.ScopeRead); err == nil {
		t.Error("by a key that is revoked: got a key, want none")
	}
	if _, err := b.admin.Create(t.Context(), apikey.NewKey{TeamID: team, Name: strings.Repeat("ä", apikey.NameRunesMax+1)}); err == nil {
		t.Error("a name too long: got a key, want an error")
	}
	if _, err := b.admin.Create(t.Context(), apikey.NewKey{TeamID: team, Name: strings.Repeat("ä", apikey.NameRunesMax)}); err != nil {
		t.Errorf("the longest name: %v", err)
	}
}

// Concurrent requests create no more keys than a team may have. Inactive keys do not count.
func TestKeysAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ended := b.create(t)
	if _, err := b.admin.Revoke(t.Context(), ended.ID); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var made []apikey.Created
	refused := 0
	for range 4 {
		all.Go(func() {
			for range apikey.LiveMax/4 + 2 {
				key, err := b.admin.Create(t.Context(), apikey.NewKey{TeamID: team})
				mu.Lock()
				switch {
				case err == nil:
					made = append(made, key)
				case errors.Is(err, apikey.ErrTooMany):
					refused++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(made) != apikey.LiveMax || refused != 8 {
		t.Fatalf("got %d keys and %d refusals, want %d and 8", len(made), refused, apikey.LiveMax)
	}
	rotate := func(overlap time.Duration) error {
		_, err := b.admin.Rotate(t.Context(), apikey.Rotation{KeyID: made[0].ID, Overlap: overlap})
		return err
	}
	if err := rotate(time.Hour); !errors.Is(err, apikey.ErrTooMany) {
		t.Errorf("rotating with an overlap, at the limit: got %v, want ErrTooMany", err)
	}
	if err := rotate(0); err != nil {
		t.Errorf("rotating without one: %v", err)
	}
	list, err := b.admin.List(t.Context(), team)
	if err != nil || len(list) != apikey.LiveMax+2 {
		t.Fatalf("list: got %d keys, %v, want %d", len(list), err, apikey.LiveMax+2)
	}
	firstEnded := slices.IndexFunc(list, func(k apikey.Key) bool { return k.RevokedAt != nil })
	if firstEnded != apikey.LiveMax {
		t.Errorf("list: got the first that has ended at %d, want those that live before", firstEnded)
	}
}

func TestRotate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.watch(t)
	end := time.Now().Add(90 * 24 * time.Hour)
	old, err := b.admin.Create(t.Context(), apikey.NewKey{TeamID: team, Name: "deploy", ExpiresAt: &end, Scopes: apikey.ScopesAll})
	if err != nil {
		t.Fatal(err)
	}
	// This edge has the old key in its cache.
	var ahead atomic.Int64
	later := apikey.NewStore(b.pool, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	later.Watch(slog.New(slog.DiscardHandler))
	t.Cleanup(later.Close)
	until(t, 10*time.Second, "the other listener", later.Watching)
	for _, s := range []*apikey.Store{b.store, later} {
		if _, err := s.Resolve(t.Context(), old.Key); err != nil {
			t.Fatal(err)
		}
	}
	const overlap = 10 * 24 * time.Hour
	fresh, err := b.admin.Rotate(t.Context(), apikey.Rotation{KeyID: old.ID, TeamID: team, MadeBy: old.ID, Overlap: overlap})
	if err != nil {
		t.Fatal(err)
	}
	life := end.Sub(old.CreatedAt)
	if fresh.Name != "deploy" || fresh.Scopes != apikey.ScopesAll || fresh.RotatedFrom != old.ID || fresh.ExpiresAt == nil ||
		fresh.ExpiresAt.Sub(fresh.CreatedAt).Round(time.Second) != life.Round(time.Second) {
		t.Errorf("got %+v, want the name, the scopes and the length of life of %+v", fresh, old)
	}
	if got := fresh.OldExpiresAt.Sub(fresh.CreatedAt); got != overlap {
		t.Errorf("the old key: got %s left, want %s", got, overlap)
	}
	for _, key := range []string{old.Key, fresh.Key} {
		if _, err := b.store.Resolve(t.Context(), key); err != nil {
			t.Errorf("in the overlap: %v", err)
		}
	}
	ahead.Store(int64(overlap + time.Minute))
	until(t, time.Second, "the old key's end", func() bool {
		_, err = later.Resolve(t.Context(), old.Key)
		return err != nil
	})
	expired, ok := errors.AsType[*apikey.ExpiredError](err)
	if !ok || !errors.Is(err, apikey.ErrInvalid) || !expired.At.Equal(fresh.OldExpiresAt) {
		t.Errorf("after the overlap: got %v, want an ExpiredError of %s", err, fresh.OldExpiresAt)
	}
	if _, err := later.Resolve(t.Context(), fresh.Key); err != nil {
		t.Errorf("the new key after the overlap: %v", err)
	}
	list, err := b.admin.List(t.Context(), team)
	if err != nil || len(list) != 2 || list[0].RotatedFrom != old.ID || list[0].ReplacedBy != "" ||
		list[1].ReplacedBy != fresh.ID || list[1].RotatedFrom != "" {
		t.Errorf("list: got %+v, %v, want each to name the other", list, err)
	}
}

// Without an overlap, edges that have the key in their cache learn at once that it has ended.
func TestRotateAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.watch(t)
	old := b.create(t)
	if _, err := b.store.Resolve(t.Context(), old.Key); err != nil {
		t.Fatal(err)
	}
	fresh, err := b.admin.Rotate(t.Context(), apikey.Rotation{KeyID: old.ID})
	if err != nil {
		t.Fatal(err)
	}
	until(t, time.Second, "the end of the old key", func() bool {
		_, err := b.store.Resolve(t.Context(), old.Key)
		return errors.Is(err, apikey.ErrInvalid)
	})
	if _, err := b.store.Resolve(t.Context(), fresh.Key); err != nil {
		t.Errorf("the new key: %v", err)
	}
}

func TestRotationsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := db.New(b.pool).CreateTeam(t.Context(), db.CreateTeamParams{ID: "team_b"}); err != nil {
		t.Fatal(err)
	}
	all, usual, rotated := b.create(t), b.create(t), b.create(t)
	lately := time.Now().Add(-time.Minute)
	expired, err := b.admin.Create(t.Context(), apikey.NewKey{TeamID: team, ExpiresAt: &lately})
	if err != nil {
		t.Fatal(err)
	}
	successor, err := b.admin.Rotate(t.Context(), apikey.Rotation{KeyID: rotated.ID, Overlap: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	revoked := b.create(t)
	if _, err := b.admin.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name     string
		rotation apikey.Rotation
		is       error
		says     string
	}{
		{"unknown", apikey.Rotation{KeyID: "key_none"}, apikey.ErrNoKey, "key_none"},
		{"unknown in a team", apikey.Rotation{KeyID: "key_none", TeamID: team}, apikey.ErrNoKey, "key_none"},
		{"another team's", apikey.Rotation{KeyID: usual.ID, TeamID: "team_b"}, apikey.ErrNoKey, usual.ID},
		{"of no team", apikey.Rotation{KeyID: usual.ID, TeamID: "team_none"}, apikey.ErrNoKey, usual.ID},
		{"revoked", apikey.Rotation{KeyID: revoked.ID}, apikey.ErrEnded, "it was revoked at"},
		{"expired", apikey.Rotation{KeyID: expired.ID}, apikey.ErrEnded, "it expired on"},
		{"rotated", apikey.Rotation{KeyID: rotated.ID}, apikey.ErrEnded, "it was replaced by " + successor.ID},
		{"by a key that has less", apikey.Rotation{KeyID: all.ID, TeamID: team, MadeBy: usual.ID}, nil, "scopes that it does not have: billing"},
		{"with an overlap too long", apikey.Rotation{KeyID: usual.ID, Overlap: apikey.OverlapMax + time.Second}, nil, "from 0 to 720h0m0s"},
		{"with one below zero", apikey.Rotation{KeyID: usual.ID, Overlap: -time.Second}, nil, "from 0 to"},
		{"with half a second", apikey.Rotation{KeyID: usual.ID, Overlap: time.Second / 2}, nil, "whole seconds"},
	} {
		_, err := b.admin.Rotate(t.Context(), tc.rotation)
		if err == nil || (tc.is != nil && !errors.Is(err, tc.is)) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: got %v, want %v that says %q", tc.name, err, tc.is, tc.says)
		}
	}
	if _, err := b.admin.RevokeOf(t.Context(), "team_b", usual.ID); !errors.Is(err, apikey.ErrNoKey) {
		t.Errorf("revoking another team's: got %v, want ErrNoKey", err)
	}
	if _, err := b.store.Resolve(t.Context(), usual.Key); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

// Concurrent rotations of one key create one successor.
func TestRotationsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := b.create(t)
	var all sync.WaitGroup
	results := make(chan error, 8)
	for range cap(results) {
		all.Go(func() {
			_, err := b.admin.Rotate(t.Context(), apikey.Rotation{KeyID: key.ID, Overlap: time.Hour})
			results <- err
		})
	}
	all.Wait()
	close(results)
	made := 0
	for err := range results {
		switch {
		case err == nil:
			made++
		case !errors.Is(err, apikey.ErrEnded):
			t.Errorf("got %v, want ErrEnded", err)
		}
	}
	if made != 1 {
		t.Errorf("got %d successors, want 1", made)
	}
}
