package e2e

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// reconcile runs the operator's command against the database and the chain.
func (s *stack) reconcile(t *testing.T, args ...string) (output string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.binary, append([]string{"payments", "reconcile"}, args...)...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "DATABASE_URL=" + s.databaseURL, "BASE_RPC_URL=" + s.chain.RPCURL(), "X402_NETWORK=base-sepolia",
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // its exit status says all
	return out.String(), cmd.ProcessState.ExitCode()
}

// TestReconcile: the books agree while payments are made, and every kind of
// difference between claims, ledger and chain is found.
func TestReconcile(t *testing.T) { //nolint:paralleltest // it makes differences, which others must not see
	s := setup(t)
	w := s.wallet(t)
	s.paidScrape(s.pages.fresh()).with(w.good(t, 2)...).do(t).wantStatus(t, http.StatusOK)
	s.paidScrape("http://127.0.0.1:1/").with(w.good(t, 1)...).do(t) // released: nothing moves
	for _, want := range []string{"ledger: no differences", "claims, ledger: no differences", "claims, chain: no differences"} {
		if out, code := s.reconcile(t); code != 0 || !strings.Contains(out, want) {
			t.Errorf("got %d and\n%s\nwant 0 and %q", code, out, want)
		}
	}
	if out, code := s.reconcile(t, "--since", "-1h"); code != 1 || !strings.Contains(out, "--since") {
		t.Errorf("a wrong flag: got %d and\n%s", code, out)
	}

	var id, transaction string
	err := s.pool.QueryRow(t.Context(), `select id::text, transaction from x402_claim where payer = $1 and state = 'settled'`, w.address().Hex()).Scan(&id, &transaction)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, change, back, want string }{
		{
			"settled by nothing", `update x402_claim set transaction = '0x` + strings.Repeat("12", 32) + `' where id = $1`,
			`update x402_claim set transaction = '` + transaction + `' where id = $1`, "which the chain does not have",
		},
		{
			"another amount", `update x402_claim set amount = amount + 1 where id = $1`,
			`update x402_claim set amount = amount - 1 where id = $1`, "which does not pay 0.010001 USDC",
		},
		{
			"paid and not settled", `update x402_claim set state = 'failed' where id = $1`,
			`update x402_claim set state = 'settled' where id = $1`, "is failed, and transaction " + transaction + " has paid it to us",
		},
		{
			"ledger without claim", `update x402_claim set id = '` + uuid.Nil.String() + `' where id = $1`,
			`update x402_claim set id = $1 where id = '` + uuid.Nil.String() + `'`, "and no paid claim has this id",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := s.pool.Exec(t.Context(), tt.change, id); err != nil {
				t.Fatal(err)
			}
			out, code := s.reconcile(t)
			if _, err := s.pool.Exec(t.Context(), tt.back, id); err != nil {
				t.Fatal(err)
			}
			if code != 1 || !strings.Contains(out, tt.want) {
				t.Errorf("got %d and\n%s\nwant 1 and %q", code, out, tt.want)
			}
		})
	}
	if out, code := s.reconcile(t); code != 0 {
		t.Errorf("in the end: got %d and\n%s", code, out)
	}
}
