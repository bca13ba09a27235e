//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func migrated(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

func adaptConfig(t *testing.T, config string) []byte {
	t.Helper()
	raw, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(config), nil)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func poolSize() int {
	n := 0
	reload.Pool.Range(func(any, any) bool { n++; return true })
	return n
}

// A configuration that cannot work is refused with a message that says what is wrong, and leaves nothing behind.
func TestProvisionFaults(t *testing.T) {
	const (
		ledger = "ledger memory {\nkey {env.TURNPIKE_TEST_KEY} team 1\n}\n"
		site   = "http://127.0.0.1:0 {\napi_key\nmeter {\nprice 1\n}\n}\n"
		paid   = "http://127.0.0.1:0 {\nx402 {\nprice 1\n}\n}\n"
		payTo  = "pay_to 0x209693Bc6afc0C5328bA36FaF03C514EF312287C\n"
	)
	t.Setenv("TURNPIKE_TEST_KEY", "a")
	t.Setenv("TURNPIKE_TEST_SHORT", "0x12")
	t.Setenv("TURNPIKE_TEST_SIGNER", "0x"+strings.Repeat("12", 32))
	t.Setenv("TURNPIKE_TEST_STRIPE", "sk_test_a")
	const stripe = "topup stripe {\nsecret_key {env.TURNPIKE_TEST_STRIPE}\nwebhook_secret {env.TURNPIKE_TEST_UNSET}\n"
	x402 := func(options string) string { return ledger + "x402 {\n" + options + "}\n" }
	tests := []struct{ name, app, site, want string }{
		{"no app", "", site, "no ledger: configure one"},
		{"no ledger", "upstream a\n", site, "no ledger: configure one"},
		{"ledger variable unset", "ledger postgres {env.TURNPIKE_TEST_UNSET}\n", site, "ledger postgres"},
		{"ledger unreachable", "ledger postgres postgres://127.0.0.1:1/x?connect_timeout=1\n", site, "reaching the database"},
		{"key twice", "ledger memory {\nkey {env.TURNPIKE_TEST_KEY} team 1\nkey {env.TURNPIKE_TEST_KEY} team 1\n}\n", site, "key 2: appears more than once"},
		{"short secret", ledger + "identity_secret {env.TURNPIKE_TEST_SHORT}\n", site, "identity_secret: identity secret: got 4 bytes"},
		{"secret unset", ledger + "identity_secret {env.TURNPIKE_TEST_UNSET}\n", site, "identity_secret"},
		{"no x402", ledger, paid, "no x402 payments: configure `x402`"},
		{"x402 without ledger", "x402 {\n" + payTo + "facilitator accepting\n}\n", paid, "x402 requires a ledger"},
		{"no pay_to", x402("facilitator accepting\n"), paid, "pay_to"},
		{"bad pay_to", x402("pay_to 0x12\nfacilitator accepting\n"), paid, `pay_to: "0x12" is not an address`},
		{"unknown network", x402(payTo + "network solana\nfacilitator accepting\n"), paid, `network: "solana" is not known`},
		{"network without asset", x402(payTo + "network eip155:1\nfacilitator accepting\n"), paid, "asset"},
		{"no facilitator", x402(payTo), paid, "facilitator: none configured"},
		{"network without its token's domain", x402(payTo + "network eip155:137\nasset 0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359\nfacilitator accepting\n"), paid, "eip155:137 is not built in: set its token"},
		{"network by itself without facilitator", x402(payTo + "network base\nnetwork base-sepolia {\nfacilitator accepting\n}\n"), paid, "none configured for the network outside `networks`"},
		{"one chain by two names", x402(payTo + "facilitator accepting\nnetwork eip155:8453 {\nfacilitator accepting\n}\n"), paid, "base and eip155:8453 are both chain 8453"},
		{"no pay_to for one of two", x402("network base {\n" + payTo + "facilitator accepting\n}\nnetwork base-sepolia {\nfacilitator accepting\n}\n"), paid, "network base-sepolia: pay_to: is not set"},
		{"unknown network among several", x402(payTo + "facilitator accepting\nnetwork solana {\nfacilitator accepting\n}\n"), paid, `network solana: network: "solana" is not known`},
		{"bad second facilitator", x402(payTo + "facilitator accepting\nnetwork base-sepolia {\nfacilitator http ftp://a\n}\n"), paid, "network base-sepolia: "},
		{"too many networks", x402(payTo + "facilitator accepting\n" + manyNetworks(8)), paid, "9 are configured, want 8 or fewer"},
		{"bad signer", x402(payTo + "facilitator local {\nrpc http://127.0.0.1:1\nsigner {env.TURNPIKE_TEST_SHORT}\n}\n"), paid, "signer: want a private key"},
		{
			"network without a price feed", x402(payTo + "network eip155:137\nasset 0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359 \"USD Coin\" 2\n" +
				"facilitator local {\nrpc http://127.0.0.1:1\nsigner {env.TURNPIKE_TEST_SIGNER}\n}\n"), paid, "eth_usd: no built-in price feed for eip155:137",
		},
		{"bad facilitator address", x402(payTo + "facilitator http ftp://a\n"), paid, "want https://"},
		{"no address for prices", ledger, "http://127.0.0.1:0 {\napi_key\nmeter {\nprice upstream\n}\n}\n", "price upstream: its address is missing"},
		{"top-ups without a ledger", "topup none\n", "http://127.0.0.1:0 {\ntopup\n}\n", "topup requires a ledger"},
		{"no top-ups", ledger, "http://127.0.0.1:0 {\ntopup\n}\n", "no top-ups: configure `topup`"},
		{"stripe on a memory ledger", ledger + stripe + "}\n", site, "require the ledger `postgres`"},
		{"one of stripe's secrets", ledger + stripe + "optional\n}\n", site, "require the ledger `postgres`"},
		{"mixed prices", ledger + "upstream a:1\n", "http://127.0.0.1:0 {\napi_key\nmeter {\nprice 1\nprice upstream\n}\n}\n", "cannot be combined"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := poolSize()
			app := ""
			if tt.app != "" {
				app = "turnpike {\n" + tt.app + "}\n"
			}
			err := caddy.Validate(mustConfig(t, adaptConfig(t, "{\nadmin off\n"+app+"}\n"+tt.site)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want it to contain %q", err, tt.want)
			}
			if n := poolSize(); n != before {
				t.Errorf("%d shared resources are left behind", n-before)
			}
		})
	}
}

func mustConfig(t *testing.T, raw []byte) *caddy.Config {
	t.Helper()
	var config caddy.Config
	if err := json.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	return &config
}

// manyNetworks returns n further networks.
func manyNetworks(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "network eip155:%d {\nasset 0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359 USDC 2\nfacilitator accepting\n}\n", i+1)
	}
	return text.String()
}

// newLedgerTeam returns a database, which TURNPIKE_TEST_DATABASE names, with a team that has 100 credits, and the team's key.
func newLedgerTeam(t *testing.T) (*pgxpool.Pool, apikey.Created) {
	t.Helper()
	url := pgtest.New(t, migrated)
	t.Setenv("TURNPIKE_TEST_DATABASE", url)
	pool := pgtest.Open(t, url, nil)
	if _, err := db.New(pool).CreateTeam(t.Context(), db.CreateTeamParams{ID: "team_a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := credits.NewLedger(pool).Grant(t.Context(), credits.Grant{TeamID: "team_a", Amount: 100, Source: credits.SourcePromo, Key: "first"}); err != nil {
		t.Fatal(err)
	}
	key, err := apikey.NewStore(pool, time.Now).Create(t.Context(), apikey.NewKey{TeamID: "team_a"})
	if err != nil {
		t.Fatal(err)
	}
	return pool, key
}

func askByKey(t *testing.T, address string, key apikey.Created) answer {
	t.Helper()
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/x", http.NoBody)
	req.Header.Set("Authorization", "Bearer "+key.Key)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Error(err)
		return answer{}
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return answer{status: res.StatusCode, header: res.Header, body: string(body)}
}

// The wait for the key and the wait for the credits together last no longer than the decision timeout.
func TestKeyAndCreditsWaitTogether(t *testing.T) {
	pool, key := newLedgerTeam(t)
	const decision, most = 4 * time.Second, 5500 * time.Millisecond
	address := freeAddress(t)
	if err := caddy.Load(adaptConfig(t, `{
		admin off
		persist_config off
		turnpike {
			ledger postgres {env.TURNPIKE_TEST_DATABASE} {
				decision_timeout `+decision.String()+`
			}
		}
	}
	http://`+address+` {
		api_key
		meter {
			price 7
		}
		respond served
	}`), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
		reload.StillInUse.Wait()
	})
	lock := func(statement string) (unlock func()) {
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		return func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }
	}
	defer lock(`select from ledger_account for update`)()
	unlockKeys := lock(`lock api_key`)
	defer unlockKeys()
	began := time.Now()
	answered := make(chan answer, 1)
	go func() { answered <- askByKey(t, address, key) }()
	for look := time.NewTicker(time.Millisecond); time.Since(began) < decision*5/8; <-look.C {
		if len(answered) > 0 {
			t.Fatalf("got %+v while keys could not be looked up", <-answered)
		}
	}
	unlockKeys()
	a := <-answered
	took := time.Since(began)
	a.wantError(t, http.StatusServiceUnavailable, "overloaded")
	if took > most || !strings.Contains(a.body, "Credits") {
		t.Errorf("answered after %s with %q, want that credits cannot be checked after %s", took, a.body, decision)
	}
}

// TestLedgerPostgres tests the whole path on a database: a key, a charge that survives a reload, a revocation.
func TestLedgerPostgres(t *testing.T) {
	pool, key := newLedgerTeam(t)
	ledger, keys := credits.NewLedger(pool), apikey.NewStore(pool, time.Now)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") }))
	defer upstream.Close()
	address := freeAddress(t)
	load := func(comment string) {
		t.Helper()
		if err := caddy.Load(adaptConfig(t, `{
			admin off
			persist_config off
			turnpike {
				ledger postgres {env.TURNPIKE_TEST_DATABASE}
			}
		}
		http://`+address+` {
			vars comment `+comment+`
			api_key
			meter {
				price 7
			}
			reverse_proxy `+upstream.Listener.Addr().String()+`
		}`), true); err != nil {
			t.Fatal(err)
		}
	}
	ask := func() answer {
		t.Helper()
		return askByKey(t, address, key)
	}
	load("first")
	if a := ask(); a.status != 200 || a.header.Get("X-Credits-Remaining") != "93" {
		t.Errorf("got %+v", a)
	}
	load("second")
	if a := ask(); a.status != 200 || a.header.Get("X-Credits-Remaining") != "86" {
		t.Errorf("after a reload: got %+v", a)
	}
	if n := poolSize(); n != 3 {
		t.Errorf("got %d shared resources, want the one ledger, the process that it is the ledger of, and the shares", n)
	}
	if _, err := keys.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	ask().wantError(t, 401, "invalid_api_key")
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	reload.StillInUse.Wait() // as a process does when it exits
	if n := poolSize(); n != 0 {
		t.Errorf("%d shared resources outlive their last configuration", n)
	}
	b, err := ledger.Balance(t.Context(), "team_a")
	if err != nil || b.Balance != 86 || b.Held != 0 {
		t.Errorf("got %+v, error %v, want 86 and nothing held: a stop writes the last captures down", b, err)
	}
	list, err := keys.List(t.Context(), "team_a")
	if err != nil || len(list) != 1 || list[0].LastUsedAt == nil {
		t.Errorf("got %+v, error %v, want the key used: a stop writes that down too", list, err)
	}
}

// TestPriceUpstream shows that the edge uses the upstream's price book, and offers nothing before it has read one.
func TestPriceUpstream(t *testing.T) {
	books := make(chan string, 1)
	var book []byte
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/turnpike-prices" {
			return
		}
		select {
		case b := <-books:
			book = []byte(b)
		default:
		}
		if book == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.Copy(w, bytes.NewReader(book))
	}))
	defer upstream.Close()
	e := newEdge(t, "api_key\nmeter {\nprice upstream "+upstream.URL+" {\nrefresh 1h\n}\n}\nreverse_proxy UPSTREAM\n")
	e.do("GET", "/x", "", bearerHeader...).wantError(t, 503, "overloaded")
	books <- `{"version": 1, "rules": [{"path": "/x", "unit": "credit", "price": 4}]}`
	if a := e.do("GET", "/x", "", bearerHeader...); a.status != 200 || a.header.Get("X-Credits-Used") != "4" {
		t.Errorf("got %+v", a)
	}
	e.do("GET", "/y", "", bearerHeader...).wantError(t, 404, "not_found")
}

func TestAdminHealth(t *testing.T) {
	t.Setenv("TURNPIKE_TEST_KEY", "a")
	socket := filepath.Join(t.TempDir(), "admin.sock")
	err := caddy.Load(adaptConfig(t, `{
		admin unix/`+socket+`
		persist_config off
		metrics
		turnpike {
			ledger memory {
				key {env.TURNPIKE_TEST_KEY} team 1
			}
			`+testX402+`
		}
	}
	http://`+freeAddress(t)+` {
		api_key
		meter {
			price 1
		}
	}`), true)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = caddy.Stop() }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	get := func(path string) string {
		t.Helper()
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+path, http.NoBody)
		req.Host = ""
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: got status %d, body %s", path, res.StatusCode, body)
		}
		return string(body)
	}
	var report healthReport
	if err := json.Unmarshal([]byte(get("/turnpike/health")), &report); err != nil || report.Status != "ok" {
		t.Errorf("got %+v, error %v", report, err)
	}
	if got, want := get("/turnpike/payments"), `{"status":"ok"}`+"\n"; got != want {
		t.Errorf("payments: got %s, want %s", got, want)
	}
	metrics := get("/metrics")
	for _, want := range []string{`turnpike_meter_decisions_total{outcome="accepted"}`, "turnpike_meter_holds_in_flight 0", "turnpike_x402_requests_total"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
}

// A health report names the ledger when it fails.
func TestAdminHealthStates(t *testing.T) {
	t.Parallel()
	for want, app := range map[string]*App{"not_configured": nil, "no_ledger": {}} {
		w := httptest.NewRecorder()
		if err := (&Admin{app: app}).health(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/turnpike/health", nil)); err != nil {
			t.Fatal(err)
		}
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), want) {
			t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
		}
	}
}
