package x402

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// archive is a claim store that several instances share.
type archive struct {
	// as opens the store for an instance, which is alive from then on.
	as func(id uuid.UUID) ClaimStore
	// announce records which networks and tokens an instance settles; end ends the instance.
	announce func(id uuid.UUID, settles ...string)
	end      func(id uuid.UUID)
	// spend records what transactions on a network cost some days ago.
	spend func(network string, daysAgo int, cost Gwei)
}

func memoryArchive(now func() time.Time) archive {
	first := uuid.New()
	all := NewMemoryClaims(first, now)
	all.End(first) // the other instances are still alive
	outbox := NewMemoryOutbox(now)
	all.CountGas(outbox)
	return archive{
		as:       func(id uuid.UUID) ClaimStore { return all.As(id) },
		announce: func(id uuid.UUID, settles ...string) { all.Announce(id, append([]string{}, settles...)) },
		end:      all.End,
		spend: func(network string, daysAgo int, cost Gwei) {
			outbox.mu.Lock()
			defer outbox.mu.Unlock()
			outbox.spent[gasDay{network, now().UTC().AddDate(0, 0, -daysAgo).Format(time.DateOnly)}] += cost
		},
	}
}

func postgresArchive(t *testing.T, pool *pgxpool.Pool) archive {
	t.Helper()
	exec := func(statement string, args ...any) {
		if _, err := pool.Exec(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return archive{
		as: func(id uuid.UUID) ClaimStore {
			exec(`insert into edge (id) values ($1)`, id)
			return NewPostgresClaims(pool, id)
		},
		announce: func(id uuid.UUID, settles ...string) {
			exec(`update edge set settles = $2 where id = $1`, id, append([]string{}, settles...))
		},
		end: func(id uuid.UUID) { exec(`update edge set ended_at = now() where id = $1`, id) },
		spend: func(network string, daysAgo int, cost Gwei) {
			exec(`insert into x402_gas as g (network, day, spent) values ($1, (now() at time zone 'utc')::date - $2::int, $3)
				on conflict (network, day) do update set spent = g.spent + excluded.spent`, network, daysAgo, cost)
		},
	}
}

// archives are the kinds of store that the tests run on.
func archives() map[string]func(t *testing.T) archive {
	return map[string]func(t *testing.T) archive{
		"memory": func(*testing.T) archive { return memoryArchive(time.Now) },
		"postgres": func(t *testing.T) archive {
			t.Helper()
			return postgresArchive(t, newPool(t))
		},
	}
}

// postgresClaims is the store of a live instance on a pool.
func postgresClaims(t *testing.T, pool *pgxpool.Pool) *PostgresClaims {
	t.Helper()
	store, ok := postgresArchive(t, pool).as(uuid.New()).(*PostgresClaims)
	if !ok {
		t.Fatal("want a store on Postgres")
	}
	return store
}

// ids returns the ids of the claims that were taken over.
func ids(recs []Record) []uuid.UUID {
	var found []uuid.UUID
	for _, rec := range recs {
		found = append(found, rec.ID)
	}
	slices.SortFunc(found, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return found
}
