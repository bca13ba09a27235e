package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/postgres"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// failover is an edge with an upstream and a database that has a standby.
type failover struct {
	*testing.T
	*stack

	primary, standby *postgres.Server
	settler          *ecdsa.PrivateKey
	treasury         *ecdsa.PrivateKey
	upstream         string
}

func newFailover(t *testing.T) *failover {
	t.Helper()
	shared := setup(t)
	f := &failover{T: t, stack: &stack{binary: shared.binary, dir: shared.dir}}
	inst, err := postgres.Find(t.Context(), postgres.SystemSearch())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(inst.Dir, "pg_basebackup")); err != nil {
		t.Skipf("no standby can be made: %v (it comes with the packages of a whole Postgres, which make test installs)", err)
	}
	bench := &faultBench{stack: f.stack}
	bench.startChain(t, 16, 1, nil)
	f.settler = bench.newSettler(t)
	if f.treasury, err = crypto.GenerateKey(); err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/fails") {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w, "report")
	}))
	t.Cleanup(api.Close)
	f.upstream = strings.TrimPrefix(api.URL, "http://")

	f.primary = f.server("")
	if err := f.primary.CreateDatabase(t.Context(), "turnpike"); err != nil {
		t.Fatal(err)
	}
	f.databaseURL = f.primary.URL("turnpike")
	if err := migrate(t.Context(), f.databaseURL); err != nil {
		t.Fatal(err)
	}
	f.standby = f.server(f.primary.URL("postgres"))
	return f
}

// server starts a Postgres server, as a standby if "of" is given.
func (f *failover) server(of string) *postgres.Server {
	f.Helper()
	dir, err := os.MkdirTemp("", "turnpike-pg-")
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(f.Context(), 2*time.Minute)
	defer cancel()
	s, err := postgres.Start(ctx, postgres.Config{DataDir: dir, Offline: true, Ephemeral: true, StandbyOf: of})
	if err != nil {
		f.Fatal(errors.Join(err, os.RemoveAll(dir)))
	}
	f.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

func (f *failover) ask(databaseURL, query string) (text string) {
	f.Helper()
	conn, err := pgx.Connect(f.Context(), databaseURL)
	if err != nil {
		f.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(f.Context(), query).Scan(&text); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
	return text
}

func (f *failover) edge() *rig.Edge {
	f.Helper()
	edge, err := rig.StartEdge(f.Context(), rig.EdgeConfig{
		Binary: f.binary, Dir: f.TempDir(), Upstream: f.upstream, DatabaseURL: f.databaseURL, RPCURL: f.chain.RPCURL(), Settler: f.settler,
		PayTo: chain.AddressOf(f.treasury), IdentitySecret: identitySecret, DecisionTimeout: decisionTimeout,
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = edge.Kill() })
	return edge
}

// buys pays for a path, and returns the claim.
func (f *failover) buys(edge *rig.Edge, path string) (claim string, w *wallet) {
	f.Helper()
	w = f.wallet(f.T)
	to := chain.AddressOf(f.treasury)
	w.to = &to
	want := http.StatusOK
	if strings.Contains(path, "/fails") {
		want = http.StatusInternalServerError
	}
	call{method: http.MethodGet, url: edge.URL(path)}.with(w.good(f.T, 1)...).do(f.T).wantStatus(f.T, want)
	return f.ask(f.databaseURL, `select id::text from x402_claim where payer = '`+w.address().Hex()+`'`), w
}

// command runs one of the operator's commands.
func (f *failover) command(want int, args ...string) string {
	f.Helper()
	cmd := exec.CommandContext(f.Context(), f.binary, append([]string{"payments"}, args...)...)
	cmd.Env = append(f.nodes(), "PATH="+os.Getenv("PATH"), "DATABASE_URL="+f.databaseURL, "TURNPIKE_TREASURY_KEY="+keyText(f.treasury), "SETTLER_KEY="+keyText(f.settler))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the exit code is checked instead
	if got := cmd.ProcessState.ExitCode(); got != want {
		f.Errorf("turnpike payments %v: got %d, want %d, and\n%s", args, got, want, out.String())
	}
	return out.String()
}

func (f *failover) nodes() []string {
	return []string{"BASE_RPC_URL=" + f.chain.RPCURL(), "X402_NETWORK=base-sepolia"}
}

func keyText(key *ecdsa.PrivateKey) string { return hex.EncodeToString(crypto.FromECDSA(key)) }

func (f *failover) wantLines(output string, lines ...string) {
	f.Helper()
	for _, line := range lines {
		if strings.Count(output, line) != 1 {
			f.Errorf("got\n%s\nwant once %q", output, line)
		}
	}
}

// promote kills the primary and promotes the standby, which was disconnected before.
func (f *failover) promote() {
	f.Helper()
	if err := syscall.Kill(f.primary.PID(), syscall.SIGKILL); err != nil {
		f.Fatal(err)
	}
	<-f.primary.Done()
	f.databaseURL = f.standby.URL("turnpike")
	if f.ask(f.databaseURL, `select pg_promote()::text`) != "true" {
		f.Fatal("the standby was not promoted")
	}
}

// TestPromotedStandby promotes a standby that lacks the last second. The operator's command must list each claim,
// settlement and refund of that second that is on the chain; a backend must report them in its metrics; and while the
// books are repaired, nothing may be paid twice.
func TestPromotedStandby(t *testing.T) {
	t.Parallel()
	f := newFailover(t)
	edge := f.edge()
	f.buys(edge, "/paid/kept")
	kept, keptWallet := f.buys(edge, "/paid/before/kept")
	owed, owedWallet := f.buys(edge, "/paid/before/fails")
	f.wantLines(f.command(0, "reconcile"), "claims, chain: no differences (3 claims", "chain, claims: no differences (3 transfers")
	lag := f.ask(f.primary.URL("turnpike"), `select pg_current_wal_flush_lsn()::text`)
	eventually(t, "the standby follows", func() error {
		if f.ask(f.standby.URL("turnpike"), `select (pg_last_wal_replay_lsn() >= '`+lag+`')::text`) != "true" {
			return errors.New("it is behind")
		}
		return nil
	})

	f.execute(f.standby.URL("postgres"), `alter system set primary_conninfo = ''`, `select pg_reload_conf()`)
	eventually(t, "the standby is cut off", func() error {
		if n := f.ask(f.standby.URL("postgres"), `select count(*)::text from pg_stat_wal_receiver`); n != "0" {
			return fmt.Errorf("it has %s receivers", n)
		}
		return nil
	})
	// The last second.
	_, after := f.buys(edge, "/paid/lost")
	_, before := f.buys(edge, "/paid/before/lost")
	_, failed := f.buys(edge, "/paid/before/fails/lost")
	f.command(0, "refunds", "add", kept, "--note", "the report was empty")
	f.command(0, "refunds", "pay", kept, owed)
	f.wantLines(f.command(0, "reconcile"), "claims, chain: no differences (6 claims")
	if err := edge.Kill(); err != nil {
		t.Fatal(err)
	}
	f.promote()

	unknown := func(w *wallet) string { return "has paid 0.01 USDC from " + w.address().Hex() + " to " }
	refund := func(claim, state string, w *wallet) string {
		return "has refunded claim " + claim + " with 0.01 USDC to " + w.address().Hex() + ", but the claim is " + state
	}
	all := []string{unknown(after), unknown(before), unknown(failed), refund(kept, "settled", keptWallet), refund(owed, "refund_due", owedWallet)}
	f.wantLines(f.command(1, "reconcile"), append(all, "chain, claims: 5 differences",
		"claim "+owed+": is refund_due, but transaction")...)

	f.watches(5)
	f.wantLines(f.command(0, "unmatched"), all...)
	f.mend(kept, after, before, failed)

	// An edge goes on: the settler's nonces that were lost with the outbox are on the chain.
	f.buys(f.edge(), "/paid/again")
	f.wantLines(f.command(0, "reconcile"), "chain, claims: no differences")
	for _, w := range []*wallet{keptWallet, owedWallet} {
		if got, err := f.chain.Balance(t.Context(), w.address()); err != nil || got != walletUnits {
			t.Errorf("a payer that was paid back has %d, %v, want %d", got, err, walletUnits)
		}
	}
}

func (f *failover) execute(databaseURL string, statements ...string) {
	f.Helper()
	conn, err := pgx.Connect(f.Context(), databaseURL)
	if err != nil {
		f.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range statements {
		if _, err := conn.Exec(f.Context(), statement); err != nil {
			f.Fatalf("%s: %v", statement, err)
		}
	}
}

// watches starts a backend whose metrics report the differences. It checks final blocks, here all but the newest.
func (f *failover) watches(differences int) {
	f.Helper()
	last, err := f.chain.Client().BlockNumber(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	eventually(f.T, "the blocks stay", func() error {
		if now, err := f.chain.Client().BlockNumber(f.Context()); err != nil || now <= last {
			return fmt.Errorf("the newest is %d: %w", now, err)
		}
		return nil
	})
	metrics, err := freeAddress()
	if err != nil {
		f.Fatal(err)
	}
	s := &stack{binary: f.binary, dir: f.TempDir()}
	defer s.stopAll()
	env := append(f.nodes(),
		"DATABASE_URL="+f.databaseURL, "TURNPIKE_IDENTITY_SECRET="+identitySecret, "TURNPIKE_CONTENT_SECRET="+contentSecret,
		"TURNPIKE_BLOB_URL="+filepath.Join(s.dir, "blobs"), "TURNPIKE_BASE_URL=http://edge.example.test", "TURNPIKE_BROWSER=off")
	if err := s.run(f.Context(), "worker", "http://"+metrics+"/healthz", env, "backend", "--role", "worker", "--metrics", metrics); err != nil {
		f.Fatal(err)
	}
	want := []string{
		fmt.Sprintf(`turnpike_reconcile_differences{check="chain_claims"} %d`, differences),
		`turnpike_reconcile_differences{check="claims_final_blocks"} 0`, `turnpike_reconcile_differences{check="ledger"} 0`,
		`turnpike_reconcile_differences{check="claims_ledger"} 0`, `turnpike_reconcile_failed{check="chain_claims"} 0`, `turnpike_x402_lost_payments 0`,
	}
	eventually(f.T, "the backend's metrics", func() error {
		got, err := call{method: http.MethodGet, url: "http://" + metrics + "/metrics"}.try(f.Context())
		if err != nil {
			return err
		}
		for _, line := range want {
			if !slices.Contains(strings.Split(string(got.body), "\n"), line) {
				return fmt.Errorf("no %s in\n%q", line, regexp.MustCompile(`(?m)^turnpike_(reconcile|x402).*$`).FindAllString(string(got.body), -1))
			}
		}
		return nil
	})
}

// mend repairs the books to match the chain: refunds by the command that would have paid them, payments by hand.
func (f *failover) mend(kept string, lost ...*wallet) {
	f.Helper()
	f.command(0, "refunds", "add", kept, "--note", "the report was empty")
	if out := f.command(0, "refunds", "pay", "--all"); strings.Count(out, "was already refunded by transaction") != 2 {
		f.Errorf("refunds pay: got\n%s\nwant that both were paid back before", out)
	}
	transfer := regexp.MustCompile(`0x[0-9a-f]{64}:\d+`)
	found := transfer.FindAllString(f.command(0, "unmatched"), -1)
	if len(found) != len(lost) {
		f.Fatalf("unmatched: got %v, want the %d payments", found, len(lost))
	}
	f.command(1, "reconcile")
	for _, id := range found {
		f.command(0, "unmatched", "resolve", id, "--note", "the payer has its report", "--by", "ada")
	}
	f.wantLines(f.command(0, "unmatched"), "No transfers need to be resolved.")
	f.wantLines(f.command(0, "reconcile"), "claims, ledger: no differences", "claims, chain: no differences", "chain, claims: no differences")
}
