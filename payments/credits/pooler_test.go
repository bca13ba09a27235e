//go:build linux

package credits

import (
	"errors"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// pooled starts a PgBouncer in transaction mode in front of the bench's database, and returns its address.
func (b *bench) pooled(t *testing.T) string {
	t.Helper()
	bouncer, err := rig.StartPgBouncer(t.Context(), t.TempDir(), b.url)
	if errors.Is(err, rig.ErrNoPgBouncer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bouncer.Kill(); err != nil {
			t.Error(err)
		}
	})
	return db.Pooled(bouncer.URL)
}

// Behind a pooler in transaction mode, several edges meter as they do without it.
func TestMeterBehindAPooler(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	url := b.pooled(t)
	meters := make([]*Postgres, 3)
	for i := range meters {
		meters[i] = b.meter(t, func(c *Config) { c.URL = url })
	}
	t.Run("meter", func(t *testing.T) {
		testMeter(t, func(*testing.T) *subject {
			return &subject{
				Meter:      meters[0],
				newAccount: func(t *testing.T, credits money.Credits) (int64, int64) { return b.account(t, credits) },
				revoke: func(t *testing.T, key int64) {
					b.exec(t, `update api_key set revoked_at = now() where id = $1`, key)
				},
				balance: func(t *testing.T, account int64) Balance { return b.balance(t, account) },
			}
		})
	})
	const each = 30
	account, key := b.account(t, each*money.Credits(len(meters)))
	var all sync.WaitGroup
	for _, m := range meters {
		for range 2 * each {
			all.Go(func() {
				d, err := m.Authorize(t.Context(), request(account, key, 1))
				if err != nil {
					t.Errorf("authorising: %v", err)
				}
				if d.Outcome == Accepted {
					m.Capture(d.Hold, 1)
				}
			})
		}
	}
	all.Wait()
	for _, m := range meters {
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.balance(t, account); got.Balance != 0 || got.Held != 0 {
		t.Errorf("got %+v, want all spent", got)
	}
	b.sound(t)
}
