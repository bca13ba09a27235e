package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/postgres"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	drillWorkers = 8
	drillPurse   = 10_000_000
)

// TestRestoreDrill follows the backup instructions of docs/operations.md: a dump under load, and a restore into another
// server. There the books must agree, nothing served before the dump may be missing, and an edge must go on with it.
func TestRestoreDrill(t *testing.T) {
	t.Parallel()
	o := setup(t).outcomeEdge(t)
	p := o.purse(t, drillPurse)
	dump := filepath.Join(t.TempDir(), "turnpike.dump")

	var begun, served atomic.Int64
	stop := make(chan struct{})
	warm := make(chan struct{})
	var workers sync.WaitGroup
	for range drillWorkers {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				begun.Add(1)
				res, err := o.send(context.Background(), p, "/task/status?code=200")
				if err != nil {
					t.Errorf("under load: %v", err)
					return
				}
				res.Body.Close()
				if res.StatusCode != http.StatusOK {
					continue // timed out on a busy machine: nothing is charged
				}
				if served.Add(1) == 200 {
					close(warm)
				}
			}
		})
	}
	<-warm
	servedBefore := served.Load()
	postgresTool(t, "pg_dump", "--format=custom", "--file="+dump, o.databaseURL)
	begunAfter, servedAfter := begun.Load(), served.Load()
	close(stop)
	workers.Wait()
	if servedAfter == servedBefore {
		t.Error("nothing was served while the dump was made: it was no drill")
	}

	elsewhere, err := pgtest.TempServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = elsewhere.Stop(context.Background()) })
	if err := elsewhere.CreateDatabase(t.Context(), "restored"); err != nil {
		t.Fatal(err)
	}
	restored := elsewhere.URL("restored")
	postgresTool(t, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+restored, dump)
	wantReconciled := func() {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), o.binary, "payments", "reconcile")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "DATABASE_URL=" + restored}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "ledger: no differences") {
			t.Errorf("payments reconcile: got %v and\n%s\nwant 0", err, out)
		}
	}
	wantReconciled()

	pool, err := db.Open(t.Context(), restored, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	b, err := credits.NewLedger(pool).Balance(t.Context(), p.team)
	if err != nil {
		t.Fatal(err)
	}
	taken := int64((drillPurse - b.Available()) / outcomePrice)
	if taken < servedBefore || taken > begunAfter {
		t.Errorf("the restored ledger took %d requests: want at least the %d served before the dump, at most the %d begun by its end",
			taken, servedBefore, begunAfter)
	}
	t.Logf("served %d before and %d during the dump; the restored ledger has %d of them", servedBefore, servedAfter-servedBefore, taken)
	o.goesOn(t, p, restored, b.Available())
	wantReconciled()
}

// goesOn lets an edge serve from the restored database.
func (o *outcomeEdge) goesOn(t *testing.T, p *purse, databaseURL string, available money.Credits) {
	t.Helper()
	edge := o.start(t, databaseURL)
	got := call{method: http.MethodGet, url: edge.URL("/task/status?code=200")}.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	// Holds that existed when the dump was made may be released by now.
	var remaining money.Credits
	if _, err := fmt.Sscan(got.header.Get("X-Credits-Remaining"), &remaining); err != nil || remaining < available-outcomePrice {
		t.Errorf("X-Credits-Remaining: got %q, want %d or more", got.header.Get("X-Credits-Remaining"), available-outcomePrice)
	}
}

// postgresTool runs one of Postgres's client programs.
func postgresTool(t *testing.T, name string, args ...string) {
	t.Helper()
	inst, err := postgres.Find(t.Context(), postgres.SystemSearch())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(inst.Dir, name)
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath(name); err != nil {
			t.Fatalf("%s is not here: it comes with the packages of a whole Postgres, which `make test` installs", name)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
