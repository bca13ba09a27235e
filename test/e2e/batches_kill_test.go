//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/postgres"
	"github.com/turnpike-edge/turnpike/payments/money"
)

var (
	drillItems   = flag.Int("items", 500, "how many pages the batch of TestBatchOfKilledWorkers has")
	drillRunning = flag.Int("running", 2, "how many of them are under way at once")
	drillSeed    = flag.Uint64("seed", 0, "what decides whom TestBatchOfKilledWorkers kills, and when; 0 draws one and prints it")
)

const (
	drillCrew = 3
	// drillLease is how long a killed worker's pages stay leased.
	drillLease = 2 * time.Second
	// The time between two kills.
	drillGapMin, drillGapMax = time.Second, 3 * time.Second
	// The time a page takes to respond.
	drillPageMin, drillPageMax = 20 * time.Millisecond, 80 * time.Millisecond
	drillLimit                 = 10 * time.Minute
)

// TestBatchOfKilledWorkers kills workers at random while a batch runs, and replaces each. Halfway it restarts Postgres as
// `pg_ctl restart -m immediate` does. Every item must end once, every credit be captured once, and the webhook arrive.
func TestBatchOfKilledWorkers(t *testing.T) {
	t.Parallel()
	seed := *drillSeed
	for seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	d := newDrill(t, seed)
	p := d.purse(t, money.Credits(*drillItems))
	secret := d.webhookSecret(t, p)
	made := d.batch(t, p, batchOf(d.shelf.pages("a", *drillItems), map[string]any{"webhook": d.shelf.url + "/hook"}))
	begun := time.Now()
	d.storm(t, p, made.ID)
	b := d.await(t, p, made.ID, drillLimit, ended)
	took := time.Since(begun)

	if b.Done+b.Failed != *drillItems || b.Outcome != "succeeded" {
		t.Errorf("batch: got %+v, want %d items that ended", b, *drillItems)
	}
	d.wantEachItemEndedOnce(t, p, b)
	d.wantBilled(t, p, b)
	d.wantNotice(t, b, secret)
	again := 0
	for _, page := range d.shelf.pages("a", *drillItems) {
		again += d.shelf.asked(page[len(d.shelf.url):]) - 1
	}
	t.Logf("%d items in %s; %d workers killed, Postgres restarted %d times; %d completed, %d failed, %d fetched again",
		*drillItems, took.Round(100*time.Millisecond), d.killed, d.restarts, b.Done, b.Failed, again)
	if d.killed < 2 || d.restarts != 1 {
		t.Errorf("killed: got %d workers, and Postgres %d times, want 2 or more, and once", d.killed, d.restarts)
	}
}

// drill is a crew with its own Postgres server.
type drill struct {
	*crew

	random   *rand.Rand
	data     string
	postgres *postgres.Server
	killed   int
	restarts int
}

func newDrill(t *testing.T, seed uint64) *drill {
	t.Helper()
	s := setup(t)
	d := &drill{random: rand.New(rand.NewPCG(seed, seed)), data: t.TempDir()}
	d.startPostgres(t)
	t.Cleanup(func() { _ = d.postgres.Stop(context.Background()) })
	if err := d.postgres.CreateDatabase(t.Context(), "drill"); err != nil {
		t.Fatal(err)
	}
	url := d.postgres.URL("drill")
	if err := migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	shelf := newShelf(t, func(path string) time.Duration {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(path))
		return drillPageMin + time.Duration(hash.Sum64()^seed)%(drillPageMax-drillPageMin)
	})
	d.crew = newCrew(t, s.on(t, url), shelf, drillCrew, fmt.Sprintf("TURNPIKE_JOB_LEASE=%s", drillLease), fmt.Sprintf("TURNPIKE_TEAM_RUNNING=%d", *drillRunning))
	return d
}

func (d *drill) startPostgres(t *testing.T) {
	t.Helper()
	server, err := postgres.Start(context.WithoutCancel(t.Context()), postgres.Config{DataDir: filepath.Join(d.data, "pg"), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	d.postgres = server
}

// storm kills workers until the batch has ended.
func (d *drill) storm(t *testing.T, p *purse, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), drillLimit)
	defer cancel()
	for {
		gap := time.NewTimer(drillGapMin + time.Duration(d.random.Int64N(int64(drillGapMax-drillGapMin))))
		select {
		case <-gap.C:
		case <-ctx.Done():
			t.Fatalf("the batch did not end within %s", drillLimit)
		}
		b, err := d.look(ctx, p, id)
		if err != nil {
			t.Logf("while processes come and go: %v", err)
			continue
		}
		if ended(b) {
			return
		}
		if d.restarts == 0 && b.Done+b.Failed >= *drillItems/2 {
			d.restartPostgres(t)
		}
		at := d.random.IntN(len(d.workers))
		if err := d.workers[at].Kill(); err != nil {
			t.Fatal(err)
		}
		d.killed++
		d.workers[at] = d.crew.start(ctx, t, "worker")
	}
}

// restartPostgres stops the server as an immediate shutdown does, so that it has to recover, and starts it again.
func (d *drill) restartPostgres(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(d.postgres.PID(), syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	<-d.postgres.Done()
	_ = d.postgres.Stop(t.Context()) // releases the directory; an error only says that the server has ended already
	d.startPostgres(t)
	d.restarts++
}

// wantEachItemEndedOnce reads the items page by page as a customer does, and compares them with the database rows.
func (d *drill) wantEachItemEndedOnce(t *testing.T, p *purse, b batch) {
	t.Helper()
	seen := map[string]int{}
	completed, cursor := 0, ""
	for {
		var page struct {
			Items []struct {
				CustomID string `json:"custom_id"`
				Status   string `json:"status"`
			} `json:"items"`
			Cursor *json.Number `json:"cursor"`
		}
		url := d.edge.URL("/v1/batches/" + b.ID + "/items?limit=50" + cursor)
		call{method: http.MethodGet, url: url}.with(p.bearer()...).do(t).json(t, &page)
		for _, item := range page.Items {
			seen[item.CustomID]++
			if item.Status == "completed" {
				completed++
			}
		}
		if page.Cursor == nil {
			break
		}
		cursor = "&cursor=" + page.Cursor.String()
	}
	for custom, times := range seen {
		if times != 1 {
			t.Errorf("item %s: listed %d times, want once", custom, times)
		}
	}
	if len(seen) != *drillItems || completed != b.Done {
		t.Errorf("items: got %d, of which %d completed, want %d and %d", len(seen), completed, *drillItems, b.Done)
	}
	rows, err := d.pool.Query(t.Context(), `select seq from batch_item where batch_id = $1 and state in ('completed', 'failed') order by seq`, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int32, *drillItems)
	for i := range want {
		want[i] = int32(i + 1)
	}
	if !slices.Equal(seqs, want) {
		t.Errorf("places in the list: got %v, want 1 to %d", seqs, *drillItems)
	}
}

// wantNotice waits for the webhook about the batch's end.
func (d *drill) wantNotice(t *testing.T, b batch, secret string) {
	t.Helper()
	var over struct {
		ID        string `json:"id"`
		Completed int    `json:"items_completed"`
		Failed    int    `json:"items_failed"`
	}
	d.readNotice(t, secret, "event.batch.completed", &over)
	if over.ID != b.ID || over.Completed != b.Done || over.Failed != b.Failed {
		t.Errorf("webhook: got %+v, want the end of %+v", over, b)
	}
}
