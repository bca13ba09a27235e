package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

func TestIdentityIsNeeded(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	body := bodyFor(site.URL)
	forger, err := edgewire.NewSigner([]byte("another secret of at least 32 bytes"), audience, s.clock.Now)
	must(t, err)
	stranger, err := edgewire.NewSigner(identitySecret, "another upstream", s.clock.Now)
	must(t, err)
	past, err := edgewire.NewSigner(identitySecret, audience, func() time.Time { return s.clock.Now().Add(-2 * time.Minute) })
	must(t, err)
	with := func(change func(*edgewire.Identity)) *edgewire.Identity {
		id := teamPays(s.team, 1)
		change(id)
		return id
	}
	same := func(*edgewire.Identity) {}
	tests := []struct {
		name string
		call call
	}{
		{"none", call{}},
		{"not a token", call{header: http.Header{edgewire.IdentityHeader: {"x.y.z"}}}},
		{"two", call{header: http.Header{edgewire.IdentityHeader: {"x.y.z", "x.y.z"}}}},
		{"unsigned", call{header: http.Header{edgewire.IdentityHeader: {"eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.e30."}}}},
		{"forged", call{identity: with(same), signer: forger}},
		{"for another upstream", call{identity: with(same), signer: stranger}},
		{"expired", call{identity: with(same), signer: past}},
		{"for another method", call{identity: with(func(id *edgewire.Identity) { id.Method = http.MethodGet })}},
		{"for another path", call{identity: with(func(id *edgewire.Identity) { id.URI = "/v1/retrieve" })}},
		{"for another query", call{identity: with(func(id *edgewire.Identity) { id.URI = "/v1/scrapes?dry_run=true" })}},
		{"for another body", call{identity: with(func(id *edgewire.Identity) { id.BodySHA256 = edgewire.HashBody([]byte("{}")) })}},
		{"credits on the paid path", call{identity: with(func(id *edgewire.Identity) { id.URI = "/x402/v1/scrapes" })}},
		{"USDC on the keyed path", call{identity: with(func(id *edgewire.Identity) { id.Unit = edgewire.UnitUSDC })}},
		{"a wallet that pays in credits", call{identity: with(func(id *edgewire.Identity) { id.Payer = walletPays(walletA, 1).Payer })}},
		{"a team without an id", call{identity: with(func(id *edgewire.Identity) { id.Payer.TeamID = "" })}},
		{"a team without a hold", call{identity: with(func(id *edgewire.Identity) { id.ID = "" })}},
		{"a payer of no kind", call{identity: with(func(id *edgewire.Identity) { id.Payer.Kind = "god" })}},
		{"nobody", call{identity: nobody()}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := tt.call
			c.method, c.uri, c.body = http.MethodPost, "/v1/scrapes", body
			w := s.do(c)
			e := wantError(t, w, problem.InvalidAPIKey)
			if e.Title != "Unauthorized" || strings.Contains(e.Detail, "identity") {
				t.Errorf("got %+v, want no inner text", e)
			}
		})
	}
	// The edge asks no payment of an anonymous client below /x402. The response says where to find the price.
	unpaid := s.do(call{
		method: http.MethodPost, uri: "/x402/v1/scrapes?dry_run=true", body: bodyFor(site.URL), identity: &edgewire.Identity{Payer: edgewire.Payer{Kind: edgewire.PayerAnonymous}, Unit: edgewire.UnitUSDC},
	})
	wantError(t, unpaid, problem.InvalidAPIKey)
	if !strings.Contains(unpaid.Body.String(), "without dry_run and without a payment") {
		t.Errorf("got %s, want where the price is", unpaid.Body)
	}
	t.Cleanup(func() {
		if got := site.hits.Load(); got != 0 {
			t.Errorf("got %d fetches, want none", got)
		}
	})
}

func TestWalletPays(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	w := s.scrape(walletPays(walletA, 10_000), bodyFor(site.URL))
	wantStatus(t, w, http.StatusOK)
	wantCost(t, w, "10000")
	got := decoded[scrapes.Scrape](t, w)
	if got.CreditsConsumed != 0 {
		t.Errorf("got %d credits consumed, want 0: it was paid in USDC", got.CreditsConsumed)
	}
	// The same wallet in another spelling is the same team.
	wantStatus(t, s.scrape(walletPays(strings.ToLower(walletA), 10_000), bodyFor(site.URL)), http.StatusOK)
	var teams int
	var address string
	must(t, s.pool.QueryRow(t.Context(), `select count(*), min(address) from team where kind = 'wallet'`).Scan(&teams, &address))
	if teams != 1 || address != walletA {
		t.Errorf("got %d teams of wallets, %s, want 1, %s", teams, address, walletA)
	}
}

// Who may read what: see the service contract, "General".
func TestOwners(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	byTeam := decoded[scrapes.Scrape](t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)))
	byWallet := decoded[scrapes.Scrape](t, s.scrape(walletPays(walletA, 10_000), bodyFor(site.URL)))
	other := s.newTeam()
	const unknown = "zzzzzzzzzzzzzzzzzzzzzzzzzz"
	tests := []struct {
		name     string
		identity *edgewire.Identity
		scrape   string
		retrieve string
		code     problem.Code // "" for 200
	}{
		{"a team reads its own", teamPays(s.team, 0), byTeam.ID, byTeam.RetrieveID, ""},
		{"another team", teamPays(other, 0), byTeam.ID, byTeam.RetrieveID, problem.ScrapeNotFound},
		{"a team reads a wallet's", teamPays(s.team, 0), byWallet.ID, byWallet.RetrieveID, problem.ScrapeNotFound},
		{"a team reads what is no id", teamPays(s.team, 0), "scrape_Ü", "%00%ff", problem.ScrapeNotFound},
		{"a team reads none", teamPays(s.team, 0), "scrape_" + unknown, unknown, problem.ScrapeNotFound},
		{"nobody reads a wallet's", nobody(), byWallet.ID, byWallet.RetrieveID, ""},
		{"nobody reads a team's", nobody(), byTeam.ID, byTeam.RetrieveID, problem.InvalidAPIKey},
		{"nobody reads none", nobody(), "scrape_" + unknown, unknown, problem.InvalidAPIKey},
		{"no identity", nil, byWallet.ID, byWallet.RetrieveID, problem.InvalidAPIKey},
	}
	details := map[problem.Code]string{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scrape := s.get(tt.identity, "/v1/scrapes/"+tt.scrape)
			retrieve := s.get(tt.identity, "/v1/retrieve?retrieve_id="+tt.retrieve)
			if tt.code == "" {
				wantStatus(t, scrape, http.StatusOK)
				wantStatus(t, retrieve, http.StatusOK)
				return
			}
			e := wantError(t, scrape, tt.code)
			if before, ok := details[tt.code]; ok && before != e.Detail {
				t.Errorf("got %q, want %q as for every other", e.Detail, before)
			}
			details[tt.code] = e.Detail
			code := tt.code
			if code == problem.ScrapeNotFound {
				code = problem.NotFound
			}
			wantError(t, retrieve, code)
		})
	}
}

func TestCostIsCovered(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	tests := []struct {
		name     string
		identity *edgewire.Identity
		body     string
		required float64
	}{
		{"no credits", teamPays(s.team, 0), bodyFor(site.URL), 1},
		{"a cheaper scrape was priced", teamPays(s.team, 19), bodyFor(site.URL, `"llm_extract":{"prompt":"all"}`), 20},
		{"too little USDC", walletPays(walletA, 9_999), bodyFor(site.URL), 10_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := wantError(t, s.scrape(tt.identity, tt.body), problem.CreditsExhausted)
			if e.Metadata["credits_required"] != tt.required || e.Metadata["credits_available"] != float64(tt.identity.Max) {
				t.Errorf("got %v, want %v of %d", e.Metadata, tt.required, tt.identity.Max)
			}
		})
	}
	w := s.scrape(teamPays(s.team, 50), bodyFor(site.URL, `"llm_extract":null`))
	wantStatus(t, w, http.StatusOK)
	wantCost(t, w, "1") // the actual cost, not the hold
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	tests := []struct {
		name     string
		identity *edgewire.Identity
		uri      string
		body     string
		want     string
	}{
		{"credits", teamPays(s.team, 0), "/v1/scrapes?dry_run=true", bodyFor(site.URL), `{"object":"quote","credits":1,"usd":0.001}`},
		{"USDC", walletPays(walletA, 0), "/x402/v1/scrapes?dry_run=true", bodyFor(site.URL), `{"object":"quote","credits":1,"usd":0.01}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.do(call{method: http.MethodPost, uri: tt.uri, body: tt.body, identity: tt.identity})
			wantStatus(t, w, http.StatusOK)
			wantCost(t, w, "0")
			if got := strings.TrimSpace(w.Body.String()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	for _, query := range []string{"dry_run=1", "dry_run=TRUE", "dry_run=", "dry_run=true&dry_run=true", "dry_run=%zz"} {
		wantError(t, s.do(call{
			method: http.MethodPost, uri: "/v1/scrapes?" + query, body: bodyFor(site.URL), identity: teamPays(s.team, 1),
		}), problem.ValidationError)
	}
	// A dry run is checked like a real one.
	wantError(t, s.do(call{
		method: http.MethodPost, uri: "/v1/scrapes?dry_run=true", body: `{"url_to_scrape":"ftp://x"}`, identity: teamPays(s.team, 0),
	}), problem.ValidationError)
	t.Cleanup(func() {
		if got := site.hits.Load(); got != 0 {
			t.Errorf("got %d fetches, want none", got)
		}
	})
	inEarnest := s.do(call{method: http.MethodPost, uri: "/v1/scrapes?dry_run=false", body: bodyFor(refusing(t)), identity: teamPays(s.team, 1)})
	wantError(t, inEarnest, problem.FetchFailed)
}

// The remainders of the purchases add up to the balance: disputes, debts and holds do not change that.
func TestCreditsInfo(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	type movement struct {
		kind   string
		amount int64 // negative: taken from the account
	}
	left := func(kind string, allocated, remaining int) string {
		return fmt.Sprintf(`{"purchase_kind":%q,"allocated_units":%d,"remaining_units":%d,"expiry_date":null}`, kind, allocated, remaining)
	}
	for _, tt := range []struct {
		name                string
		balance, held, owed int64
		movements           []movement
		credits             int64
		breakdown           []string
		allowed             bool
	}{
		{"nothing yet", 0, 0, 0, nil, 0, nil, false},
		{
			"the oldest is spent first", 130, 20, 0,
			[]movement{{"grant", 500}, {"topup", 100}, {"grant", 50}},
			110,
			[]string{left("topup", 100, 80), left("grant", 50, 50)},
			true,
		},
		{"all spent", 0, 0, 0, []movement{{"grant", 500}}, 0, nil, false},
		{"all of it held", 7, 7, 0, []movement{{"topup", 10}}, 0, []string{left("topup", 10, 7)}, false},
		{"a dispute after all was spent", 0, 0, 100, []movement{{"topup", 100}, {"dispute", -100}}, 0, nil, false},
		{
			"a purchase that pays a debt first", 60, 0, 0,
			[]movement{{"topup", 100}, {"dispute", -100}, {"topup", 100}},
			60,
			[]string{left("topup", 100, 60)},
			true,
		},
		{
			"a dispute that was won", 80, 0, 0,
			[]movement{{"topup", 100}, {"dispute", -100}, {"dispute_won", 100}},
			80,
			[]string{left("topup", 100, 80)},
			true,
		},
		{
			"a refund of half", 150, 0, 0,
			[]movement{{"topup", 100}, {"topup", 100}, {"refund", -50}},
			150,
			[]string{left("topup", 100, 50), left("topup", 100, 100)},
			true,
		},
	} {
		team := s.newTeam()
		var account, house int64
		must(t, s.pool.QueryRow(t.Context(), `
			with account as (
				update ledger_account set available = $2::bigint - $3::bigint, owed = $4 where team_id = $1 returning id
			)
			insert into hold (id, account_id, job_id, operation, amount, expires_at)
			select gen_random_uuid(), id, 'job of ' || $1, 'crawl', $3, now() + interval '1 hour' from account
			returning account_id`,
			team, tt.balance, tt.held, tt.owed).Scan(&account))
		must(t, s.pool.QueryRow(t.Context(), `select id from ledger_account where kind = 'promo' and unit = 'credit'`).Scan(&house))
		for i, m := range tt.movements {
			from, to := house, account
			if m.amount < 0 {
				from, to = account, house
			}
			_, err := s.pool.Exec(t.Context(), `insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
				values ($1, $2, $3, 'credit', $4, $5)`, from, to, max(m.amount, -m.amount), m.kind, fmt.Sprint(team, i))
			must(t, err)
		}
		w := s.get(teamPays(team, 0), "/user/credits/info")
		wantStatus(t, w, http.StatusOK)
		want := fmt.Sprintf(`{"credits":%d,"held":%d,"owed":%d,"breakdown":[%s],"allow_usage":%t}`,
			tt.credits, tt.held, tt.owed, strings.Join(tt.breakdown, ","), tt.allowed)
		if got := strings.TrimSpace(w.Body.String()); got != want {
			t.Errorf("%s: got %s, want %s", tt.name, got, want)
		}
	}
	wantError(t, s.get(nobody(), "/user/credits/info"), problem.InvalidAPIKey)
	wantError(t, s.get(teamPays("team_none", 0), "/user/credits/info"), problem.NotFound)
}
