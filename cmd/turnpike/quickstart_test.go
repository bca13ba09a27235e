package main_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/program"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// TestQuickstart runs every block of docs/quickstart.md in order, so that the page is known to work. It differs from the page
// in this:
//
//	in the page                          here
//	-----------------------------------  ------------------------------------------------------------
//	the values of `sh settings`          an empty database of the tests' Postgres, localhost for the
//	                                     domain, and a development chain that stands in for Base
//	a certificate that all clients know  one of Caddy's own authority, which Caddy uses for localhost;
//	                                     CURL_CA_BUNDLE makes curl know it
//	ports 80, 443 and 8081               free ones, so that tests meet neither each other nor what runs
//	                                     here, and need not be root: two global options in the
//	                                     Caddyfile, BACKEND, and the numbers in the commands
//	https://example.com                  a page on this machine, which the backend is allowed to fetch
//	                                     by --allow-private and --allow-port
//	Stripe                               a double of it, and the secrets of section 7 from the start,
//	                                     so that no service has to be started again; the test saves
//	                                     the card on the page that the block prints
//	after a service block                the test waits for the line in its log that says that it serves
func TestQuickstart(t *testing.T) {
	t.Parallel()
	q := newQuickstart(t)
	for _, block := range program.FencedBlocks(t, "docs/quickstart.md") {
		switch block.Info {
		case "sh settings":
			q.run(t, q.settings(t, block.Text))
		case "sh":
			q.run(t, block.Text)
		case "sh service":
			q.serve(t, block.Text)
		default:
			t.Fatalf("a fenced block of the kind %q: no test knows what to do with it", block.Info)
		}
	}
	for command := range q.wants {
		t.Errorf("the page has no block that begins with %s", command)
	}
	if challenge, err := os.ReadFile(filepath.Join(q.Dir, "challenge.json")); err != nil {
		t.Error(err)
	} else if !regexp.MustCompile(fmt.Sprintf(`"network":"base".*"maxAmountRequired":"10000".*"payTo":%q`, q.payTo.Hex())).Match(challenge) {
		t.Errorf("challenge.json: got %s, want 10000 to %s on base", challenge, q.payTo)
	}
	q.reloads(t)
	q.pays(t)
}

type quickstart struct {
	*checkout

	chain   *chain.Chain
	stripe  string
	payTo   common.Address
	page    string
	replace *strings.Replacer
	// serving is the log line of a service that is ready, by its block's beginning.
	serving map[string]string
	// wants is the pattern that a block's output has to match, by its beginning.
	wants map[string]string
}

// state loads the variables of the blocks before.
const state = ". ./state\n"

func newQuickstart(t *testing.T) *quickstart {
	t.Helper()
	q := &quickstart{checkout: newCheckout(t), page: program.LoopbackPage(t), payTo: common.HexToAddress("0x209693Bc6afc0C5328bA36FaF03C514EF312287C")}
	ports := freePorts(t, 3)
	edge, backend, redirects := ports[0], ports[1], ports[2]
	q.serving = map[string]string{
		"turnpike backend ": "serving the web data API",
		"turnpike run ":     "certificate obtained successfully",
	}
	q.replace = strings.NewReplacer(":8081", ":"+backend, "https://example.com", q.page)
	q.stripe = stripeDouble(t)
	q.checkout = q.with("BACKEND=localhost:"+backend, "CURL_CA_BUNDLE="+filepath.Join(q.Dir, "home", "caddy", "pki", "authorities", "local", "root.crt"),
		"STRIPE_SECRET_KEY="+quickstartStripeKey, "STRIPE_WEBHOOK_SECRET="+quickstartStripeWebhook, "STRIPE_API_BASE="+q.stripe)
	q.wants = map[string]string{
		"turnpike migrate": `(?m)^The schema is up to date: \d+ migrations ran\.$`,
		"TEAM=$(turnpike teams create": `^Granted 1000 credits\. Balance: 1000 credits\n` +
			`balance +1000\nheld +0\navailable +1000\nledger +1000 in − 0 out = 1000\n`,
		"curl -fsS http://localhost:8081/healthz":                `"status":"ok"[^}]*}\n{"status":"ready"`,
		"turnpike validate":                                      `(?m)^Valid configuration$`,
		`curl -fsS "https://$DOMAIN/healthz"`:                    `"status":"ok"[^}]*}\n{"status":"ready"`,
		"curl -fsS --unix-socket":                                `"status":"ok"`,
		`curl -fsS "https://$DOMAIN/v1/scrapes"`:                 `(?s)"markdown_content":"# A page.*Served by a test.*\navailable +999\n`,
		`curl -sS -o challenge.json -w '%{http_code}\n' "https:`: `^402\n$`,
		paymentMethodBlock:                                       `^{"url":"http[^"]+"}`,
		`curl -fsS "https://$DOMAIN/user/purchase-topup"`:        `^{"success":true,"payment_intent_id":"pi_\w+","credits":10000}`,
	}
	settler, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	// The settler key is new, so it owns nothing on the real Base.
	if q.chain, err = chain.Start(t.Context(), chain.Config{ChainID: chain.BaseMainnet, SettlerKey: settler}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.chain.Close() })

	shipped, err := os.ReadFile(filepath.Join("..", "..", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	caddyfile := strings.Replace(string(shipped), "\n{\n", fmt.Sprintf("\n{\n\thttp_port %s\n\tskip_install_trust\n", redirects), 1)
	q.write(t, "Caddyfile", caddyfile)
	q.write(t, "state", "export DOMAIN=localhost:"+edge+"\n")
	return q
}

// settings replaces the page's example values with this test's. It fails on a name that it does not know.
func (q *quickstart) settings(t *testing.T, block string) string {
	t.Helper()
	state, err := os.ReadFile(filepath.Join(q.Dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	_, domain, _ := strings.Cut(strings.TrimSpace(string(state)), "=")
	values := map[string]string{
		"DOMAIN":            domain,
		"DATABASE_URL":      pgtest.URL(t),
		"TURNPIKE_BLOB_URL": "file://" + filepath.ToSlash(filepath.Join(q.Dir, "blobs")),
		"PAY_TO":            q.payTo.Hex(),
		"BASE_RPC_URL":      q.chain.RPCURL(),
		"SETTLER_KEY":       "0x" + hex.EncodeToString(crypto.FromECDSA(q.chain.Settler())),
	}
	own := regexp.MustCompile(`(?m)^export (\w+)=.*$`).ReplaceAllStringFunc(block, func(line string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		value, known := values[name]
		if !known {
			t.Fatalf("settings: the page sets %s, which this test does not know", name)
		}
		delete(values, name)
		return "export " + name + "='" + value + "'"
	})
	for name := range values {
		t.Errorf("settings: the page does not set %s", name)
	}
	return own
}

// run runs a block in a shell with the variables of the blocks before. The shell exits at the first failing command.
func (q *quickstart) run(t *testing.T, block string) {
	t.Helper()
	got := q.Sh(t, "set -eua\n"+state+q.replace.Replace(block)+"export -p > state\n")
	if got.Code != 0 {
		t.Fatalf("got %d, want 0:\n%s%s%s", got.Code, block, got.Stdout, got.Stderr)
	}
	for beginning, want := range q.wants {
		if !strings.HasPrefix(block, beginning) {
			continue
		}
		delete(q.wants, beginning)
		if !regexp.MustCompile(want).MatchString(got.Stdout) {
			t.Errorf("%sgot %s%s, want %s", block, got.Stdout, got.Stderr, want)
		}
		if beginning == paymentMethodBlock {
			q.saveCard(t, got.Stdout)
		}
	}
}

const (
	quickstartStripeKey     = "sk_test_of_the_quickstart"
	quickstartStripeWebhook = "whsec_of_the_quickstart"
	paymentMethodBlock      = `curl -fsS -X POST "https://$DOMAIN/user/payment-method"`
)

// stripeDouble serves the Stripe fake until the test ends.
func stripeDouble(t *testing.T) (address string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	address = "http://" + server.Listener.Addr().String()
	server.Config.Handler = stripetest.New(stripetest.Config{
		SecretKey: quickstartStripeKey, WebhookSecret: quickstartStripeWebhook, PagesURL: address,
	})
	server.Start()
	t.Cleanup(server.Close)
	return address
}

// saveCard saves a card on the page whose address a block printed, as a team does.
func (q *quickstart) saveCard(t *testing.T, printed string) {
	t.Helper()
	var page struct{ URL string }
	if err := json.Unmarshal([]byte(printed), &page); err != nil || !strings.HasPrefix(page.URL, q.stripe) {
		t.Fatalf("got %s, error %v, want a page of Stripe's", printed, err)
	}
	form := strings.NewReader(url.Values{"behaviour": {string(stripetest.OK)}}.Encode())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page.URL, form)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("saving a card: got %s", res.Status)
	}
}

// serve runs a block of one command until the test ends, and waits until the service is ready.
func (q *quickstart) serve(t *testing.T, block string) {
	t.Helper()
	for beginning, line := range q.serving {
		if !strings.HasPrefix(block, beginning) {
			continue
		}
		delete(q.serving, beginning)
		command := strings.TrimSpace(q.replace.Replace(block))
		if beginning == "turnpike backend " {
			u, err := url.Parse(q.page)
			if err != nil {
				t.Fatal(err)
			}
			command += " --allow-private 127.0.0.1/32 --allow-port " + u.Port()
		}
		q.Start(t, line, "sh", "-c", state+"exec "+command).AwaitLine(t)
		return
	}
	t.Fatalf("%sno test knows what this service says when it serves", block)
}

// reloads runs the page's everyday commands through the admin socket, which only its user can reach.
func (q *quickstart) reloads(t *testing.T) {
	t.Helper()
	dir := filepath.Join(q.Dir, "home", "caddy", "admin")
	for path, want := range map[string]os.FileMode{dir: os.ModeDir | 0o700, filepath.Join(dir, "admin.sock"): os.ModeSocket | 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: got %v, %v, want mode %s", path, info, err, want)
		}
	}
	got := q.Sh(t, "set -eua\n"+state+"turnpike reload --config Caddyfile --force\ncurl -fsS --unix-socket "+filepath.Join(dir, "admin.sock")+" http://localhost/turnpike/health")
	if got.Code != 0 || !strings.Contains(got.Stdout, `"status":"ok"`) {
		t.Errorf("reloading: got %d %s%s, want an edge that is well", got.Code, got.Stdout, got.Stderr)
	}
}

// pays goes one step further than the page: it pays the challenge and checks that the money arrives.
func (q *quickstart) pays(t *testing.T) {
	t.Helper()
	q.write(t, "wallet.key", hex.EncodeToString(crypto.FromECDSA(q.chain.Wallet())))
	for _, version := range []string{"1", "2"} {
		got := q.Sh(t, state+`SSL_CERT_FILE=$CURL_CA_BUNDLE turnpike pay "https://$DOMAIN/x402/v1/scrapes" --key-file wallet.key --version `+
			version+` --data '{"url_to_scrape": "`+q.page+`", "formats": ["markdown"]}'`)
		if got.Code != 0 || !strings.Contains(got.Stdout, "Served by a test") || !strings.Contains(got.Stderr, "by x402 version "+version) {
			t.Errorf("paying by version %s: got %d %s%s, want the page and a receipt", version, got.Code, got.Stdout, got.Stderr)
		}
	}
	const scrapePrice = 10_000
	if got, err := q.chain.Balance(t.Context(), q.payTo); err != nil || got != 2*scrapePrice {
		t.Errorf("the payee's balance: got %d, %v, want %d", got, err, 2*scrapePrice)
	}
}

func (q *quickstart) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(q.Dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// freePorts returns ports that were free a moment ago, all different.
func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, port)
	}
	return ports
}
