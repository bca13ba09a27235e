package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/program"
)

// startLimit is the promised start time of `make run` after the build.
const startLimit = 15 * time.Second

// scrapePrice is what a scrape costs a wallet, in millionths of a USDC.
const scrapePrice = 10_000

// TestDev is a newcomer's first hour: start it, paste the printed commands, stop it, start it again, kill it, start it again.
func TestDev(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	// The printed commands must be quoted for a shell, whatever the data directory's name.
	data := filepath.Join(c.Dir, "o'neill's data")

	first := c.startDev(t, "--data", data, "--port", "0")
	t.Logf("first start: %s", first.took)
	if first.took > startLimit {
		t.Errorf("first start: took %s, want at most %s", first.took, startLimit)
	}
	if got := first.Stderr.String(); got != "" {
		t.Errorf("stderr after the start: got %q, want nothing", got)
	}
	if len(first.printed) != 9 {
		t.Fatalf("commands in the greeting: got %d, want 9:\n%s", len(first.printed), first.Stdout)
	}
	byKey, batch, crawl, siteMap := first.printed[0], first.printed[1], first.printed[2], first.printed[3]
	challenge, payV2, payV1, show, reconcile := first.printed[4], first.printed[5], first.printed[6], first.printed[7], first.printed[8]
	balance := func(want int) {
		t.Helper()
		c.agrees(t, show, reconcile, want)
	}

	balance(1000)
	kept := readScrape(t, c.Succeeds(t, byKey).Stdout)
	balance(999)
	offer := c.readChallenge(t, challenge)
	c.pays(t, first, offer, payV2, 2)
	c.pays(t, first, offer, payV1, 1)
	balance(999) // a wallet's payment does not change a team's credits
	c.fetchesBatch(t, first, batch)
	balance(997)
	c.looksAtTheSite(t, first, crawl, siteMap)
	balance(989)

	c.readme(t, first)
	balance(956) // two scrapes, a batch of two, a crawl, a map, an answer, and a monitor's first run
	page := program.LoopbackPage(t)
	refused := first.scrapePage(t, page)
	if refused.StatusCode != http.StatusForbidden || !strings.Contains(refused.Text, `"blocked_address"`) {
		t.Errorf("a page of this machine: got %d %s, want 403 blocked_address", refused.StatusCode, refused.Text)
	}
	balance(956)
	first.scrapePage(t, first.sample) // allowed pages still work
	balance(955)
	if got := first.scrapePage(t, first.sample+"nothing-here"); got.StatusCode != http.StatusOK || !strings.Contains(got.Text, `"status_code":404`) {
		t.Errorf("a page that its site does not have: got %d %s, want its 404", got.StatusCode, got.Text)
	}
	balance(954) // as the README says: every fetched page is charged, also a 404
	first.errorsAreDocumented(t)
	c.refusesASecond(t, first, data)
	first.stopsWithoutTrace(t, data)

	port := first.edge[strings.LastIndexByte(first.edge, ':')+1:]
	second := c.startDev(t, "--data", data, "--port", port, "--allow-loopback")
	t.Logf("second start: %s", second.took)
	second.remembers(t, first, kept)
	balance(954)
	if got := second.scrapePage(t, page); got.StatusCode != http.StatusOK || !strings.Contains(got.Text, "Served by a test") {
		t.Errorf("a page of this machine with --allow-loopback: got %d %s, want the page", got.StatusCode, got.Text)
	}
	balance(953)
	second.kill(t)

	third := c.startDev(t, "--data", data, "--port", port)
	t.Logf("start after kill -9: %s", third.took)
	third.remembers(t, first, kept)
	balance(953)
	readScrape(t, c.Succeeds(t, third.printed[0]).Stdout)
	balance(952)
	third.stopsWithoutTrace(t, data)
}

// agrees runs the two last printed commands: the balance, its ledger, and the reconciliation agree. The charge is written
// after the response, so the credit may still be held for a moment.
func (c *checkout) agrees(t *testing.T, show, reconcile string, want int) {
	t.Helper()
	lines := regexp.MustCompile(fmt.Sprintf(`^balance +%d\nheld +0\navailable +%[1]d\nledger +1000 in − %d out = %[1]d\n`, want, 1000-want))
	var text string
	defer func() {
		if !lines.MatchString(text) {
			t.Logf("credits show: got\n%swant it to match %s", text, lines)
		}
	}()
	program.Until(t, fmt.Sprintf("all charges to be written, for a balance of %d", want), func() bool {
		text = c.Succeeds(t, show).Stdout
		return lines.MatchString(text)
	})
	if text := c.Succeeds(t, reconcile).Stdout; !strings.Contains(text, "no differences") {
		t.Errorf("payments reconcile: got %q, want no differences", text)
	}
}

// terms are the asset and payee that a challenge names.
type terms struct{ asset, payTo common.Address }

// readChallenge reads a challenge as clients of both versions do: version 1 from the body, version 2 from the header (x402
// v1 and v2 specifications).
func (c *checkout) readChallenge(t *testing.T, command string) terms {
	t.Helper()
	head, body, _ := strings.Cut(strings.ReplaceAll(c.Succeeds(t, command).Stdout, "\r\n", "\n"), "\n\n")
	if !strings.HasPrefix(head, "HTTP/1.1 402 ") {
		t.Fatalf("challenge: got %q, want 402", head)
	}
	m := regexp.MustCompile(`(?mi)^payment-required: (\S+)$`).FindStringSubmatch(head)
	if m == nil {
		t.Fatalf("challenge: no header PAYMENT-REQUIRED in\n%s", head)
	}
	header, err := base64.StdEncoding.DecodeString(m[1])
	if err != nil {
		t.Fatalf("PAYMENT-REQUIRED: %v", err)
	}
	var found []terms
	for _, form := range []struct {
		text                     string
		version                  int
		network, amount, timeout string
	}{
		{body, 1, "base-sepolia", "maxAmountRequired", "maxTimeoutSeconds"},
		{string(header), 2, "eip155:84532", "amount", "maxTimeoutSeconds"},
	} {
		var challenge struct {
			X402Version int              `json:"x402Version"`
			Accepts     []map[string]any `json:"accepts"`
		}
		if err := json.Unmarshal([]byte(form.text), &challenge); err != nil {
			t.Fatalf("version %d: %v:\n%s", form.version, err, form.text)
		}
		if challenge.X402Version != form.version || len(challenge.Accepts) != 1 {
			t.Fatalf("version %d: got %s, want one offer of that version", form.version, form.text)
		}
		offer := challenge.Accepts[0]
		for name, want := range map[string]any{"scheme": "exact", "network": form.network, form.amount: fmt.Sprint(scrapePrice)} {
			if offer[name] != want {
				t.Errorf("version %d: %s: got %v, want %v", form.version, name, offer[name], want)
			}
		}
		if seconds, _ := offer[form.timeout].(float64); seconds < 60 {
			t.Errorf("version %d: %s: got %v, want time enough to pay", form.version, form.timeout, offer[form.timeout])
		}
		found = append(found, terms{common.HexToAddress(fmt.Sprint(offer["asset"])), common.HexToAddress(fmt.Sprint(offer["payTo"]))})
	}
	if found[0] != found[1] || found[0].payTo == (common.Address{}) {
		t.Errorf("the versions' offers: got %v, want the same asset and payee", found)
	}
	return found[0]
}

// pays runs a printed payment and checks on the chain what it moved.
func (c *checkout) pays(t *testing.T, r *running, offer terms, command string, version int) {
	t.Helper()
	walletBefore, payeeBefore := r.usdc(t, offer.asset, r.wallet), r.usdc(t, offer.asset, offer.payTo)
	paid := c.Succeeds(t, command)
	readScrape(t, paid.Stdout)
	for _, want := range []string{
		`^200 OK\n`, fmt.Sprintf(`paid 0\.01 USDC on \S+ by x402 version %d from %s\n`, version, r.wallet), `transaction 0x[0-9a-f]{64}\n`,
	} {
		if !regexp.MustCompile(want).MatchString(paid.Stderr) {
			t.Errorf("payment by version %d: got %q, want %s", version, paid.Stderr, want)
		}
	}
	if got := walletBefore - r.usdc(t, offer.asset, r.wallet); got != scrapePrice {
		t.Errorf("version %d took from the wallet: got %d, want %d", version, got, scrapePrice)
	}
	if got := r.usdc(t, offer.asset, offer.payTo) - payeeBefore; got != scrapePrice {
		t.Errorf("version %d brought the payee: got %d, want %d", version, got, scrapePrice)
	}
}

// fetchesBatch runs the printed batch, and waits for its webhook on the screen.
func (c *checkout) fetchesBatch(t *testing.T, r *running, command string) {
	t.Helper()
	var batch struct {
		ID     string `json:"id"`
		Total  int    `json:"total_urls"`
		Status string `json:"status"`
	}
	if said := c.Succeeds(t, command).Stdout; json.Unmarshal([]byte(said), &batch) != nil || batch.Total != 2 || !strings.HasPrefix(batch.ID, "batch_") {
		t.Fatalf("batch: got %s, want one of 2 pages", said)
	}
	r.tellsOf(t, batch.ID, `"items_completed":2,`)
}

// tellsOf waits until the screen shows the webhook of a batch or crawl.
func (r *running) tellsOf(t *testing.T, id, says string) {
	t.Helper()
	kind, _, _ := strings.Cut(id, "_")
	want := regexp.MustCompile(`The sample site received a webhook: "event\.` + kind + `\.completed" "event_\w+"\n.*"id":"` + id + `".*` + says)
	program.Until(t, "the webhook of "+id, func() bool { return want.MatchString(r.Stdout.String()) })
}

// looksAtTheSite runs the printed crawl and map: both find the seven pages, and neither fetches what robots.txt forbids.
func (c *checkout) looksAtTheSite(t *testing.T, r *running, crawl, siteMap string) {
	t.Helper()
	var made struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	if said := c.Succeeds(t, crawl).Stdout; json.Unmarshal([]byte(said), &made) != nil || made.Status != "in_progress" || !strings.HasPrefix(made.ID, "crawl_") {
		t.Fatalf("crawl: got %s, want one in progress", said)
	}
	r.tellsOf(t, made.ID, `"outcome":"succeeded".*"urls_count":7,`)
	pages := program.Request(t, http.MethodGet, r.edge+"/v1/crawls/"+made.ID+"/pages", r.key, "").Text
	for _, want := range []string{`"pages_count":7,`, `/history/railways"`, "The Rebecca riots", `robots_disallowed`} {
		if !strings.Contains(pages, want) {
			t.Errorf("pages of the crawl: got %s, want %s in it", pages, want)
		}
	}
	var listed struct {
		Count int      `json:"urls_count"`
		URLs  []string `json:"urls"`
	}
	if said := c.Succeeds(t, siteMap).Stdout; json.Unmarshal([]byte(said), &listed) != nil || listed.Count < 7 || len(listed.URLs) != listed.Count {
		t.Errorf("map: got %s, want the seven pages", said)
	}
}

// readme pastes the README's commands, with the sample site in place of https://example.com.
func (c *checkout) readme(t *testing.T, r *running) {
	t.Helper()
	user := c.with("TURNPIKE_URL="+r.edge, "TURNPIKE_KEY="+r.key)
	wallet := "TURNPIKE_WALLET=" + r.walletFile + "\n" // pasted as printed, so already quoted
	wants := map[string]string{
		`BATCH=$(curl -sS "$TURNPIKE_URL/v1/batches"`: `"total_urls":2`,
		`CRAWL=$(curl -sS "$TURNPIKE_URL/v1/crawls"`:  `"status":"`,
		`curl -sS "$TURNPIKE_URL/v1/maps"`:            `"urls_count":`,
		`curl -sS "$TURNPIKE_URL/v1/answers"`:         `"json_content":"{\"title\":`,
		`curl -sS "$TURNPIKE_URL/v1/monitors"`:        `"cron":"0 9 * * 1-5"`,
		`curl -sS "$TURNPIKE_URL/v1/scrapes"`:         strings.TrimPrefix(sampleTitle, "# "), // as markdown and as JSON
		`curl -sS -i "$TURNPIKE_URL/x402/v1/scrapes"`: "HTTP/1.1 402 Payment Required",
		`bin/turnpike pay "$TURNPIKE_URL`:             "paid 0.01 USDC",
	}
	shown := map[string]bool{}
	for _, block := range program.FencedBlocks(t, "README.md") {
		if block.Info != "sh" || strings.HasPrefix(block.Text, "make ") || strings.HasPrefix(block.Text, "export ") {
			continue
		}
		got := user.Succeeds(t, wallet+strings.ReplaceAll(block.Text, "https://example.com", r.sample))
		known := false
		for command, want := range wants {
			if strings.HasPrefix(block.Text, command) {
				known, shown[command] = true, true
				if !strings.Contains(got.Stdout+got.Stderr, want) {
					t.Errorf("README:\n%sgot %s%s, want %q in it", block.Text, got.Stdout, got.Stderr, want)
				}
				if batch := regexp.MustCompile(`"batch_id":"(batch_\w+)"`).FindStringSubmatch(got.Stdout); batch != nil {
					r.tellsOf(t, batch[1], `"items_completed":2,`)
				}
			}
		}
		if !known {
			t.Errorf("README: no test knows what this is to show:\n%s", block.Text)
		}
	}
	for command := range wants {
		if !shown[command] {
			t.Errorf("README: no block begins with %s", command)
		}
	}
}

func (r *running) scrapePage(t *testing.T, page string) program.Response {
	t.Helper()
	return program.Request(t, http.MethodPost, r.edge+"/v1/scrapes", r.key, fmt.Sprintf(`{"url_to_scrape": %q, "formats": ["markdown"]}`, page))
}

// remembers checks that a later start keeps the keys, addresses, and pages of an earlier one.
func (r *running) remembers(t *testing.T, earlier *running, kept scraped) {
	t.Helper()
	if r.key != earlier.key || r.wallet != earlier.wallet || r.edge != earlier.edge {
		t.Errorf("after a restart: got %s %s %s, want %s %s %s", r.edge, r.key, r.wallet, earlier.edge, earlier.key, earlier.wallet)
	}
	if r.sample != earlier.sample || r.chain != earlier.chain {
		t.Errorf("after a restart: got the sample site at %s and the chain at %s, want them at %s and %s", r.sample, r.chain, earlier.sample, earlier.chain)
	}
	if fmt.Sprint(r.printed) != fmt.Sprint(earlier.printed) {
		t.Errorf("after a restart: got the commands\n%s\nwant\n%s", r.printed, earlier.printed)
	}
	got := program.Request(t, http.MethodGet, r.edge+"/v1/scrapes/"+kept.ID, r.key, "")
	if got.StatusCode != http.StatusOK {
		t.Fatalf("the scrape of before: got %d %s, want 200", got.StatusCode, got.Text)
	}
	if again := readScrape(t, got.Text); again.ID != kept.ID {
		t.Errorf("the scrape of before: got %s, want %s", again.ID, kept.ID)
	}
	content := program.Request(t, http.MethodGet, kept.Result.MarkdownURL, "", "")
	if content.StatusCode != http.StatusOK || !strings.HasPrefix(content.Text, sampleTitle) {
		t.Errorf("the page of before at %s: got %d %s, want its markdown", kept.Result.MarkdownURL, content.StatusCode, content.Text)
	}
}

// refusesASecond starts a second dev on the same data and on the same port as a running one.
func (c *checkout) refusesASecond(t *testing.T, r *running, data string) {
	t.Helper()
	got := c.Turnpike(t, "dev", "--data", data, "--port", "0")
	if want := fmt.Sprintf("is in use by process %d", r.Cmd.Process.Pid); got.Code != 1 || !strings.Contains(got.Stderr, want) {
		t.Errorf("a second dev on the same data: got %d %q, want 1 and %q", got.Code, got.Stderr, want)
	}
	u := r.edge[strings.LastIndexByte(r.edge, ':')+1:]
	got = c.Turnpike(t, "dev", "--data", filepath.Join(c.Dir, "other"), "--port", u)
	if got.Code != 1 || !strings.Contains(got.Stderr, "choose another with --port") {
		t.Errorf("a second dev on the same port: got %d %q, want 1 and --port named", got.Code, got.Stderr)
	}
	if answer := program.Request(t, http.MethodGet, r.edge+"/healthz", "", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("the first after that: got %d, want 200", answer.StatusCode)
	}
}

// leavesNothing checks that no socket and no pid file is left.
func leavesNothing(t *testing.T, data string) {
	t.Helper()
	err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Type()&fs.ModeSocket != 0 || entry.Name() == "postmaster.pid" {
			t.Errorf("left in the data directory: %s", path)
		}
		return nil
	})
	if err != nil {
		t.Errorf("looking through the data directory: %v", err)
	}
}

// Ctrl-C ends a start at any stage, and the next start works.
func TestDevInterruptedAsItStarts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		sign  string // a file that shows the stage of the start
		again bool
	}{
		{"dev.json", false},
		{"postgres/pgdata.new", true},
		{"postgres/pgdata/postmaster.pid", true},
		{"wallet.key", false},
		{"blobs", false},
		{"caddy", false},
	} {
		t.Run(tc.sign, func(t *testing.T) {
			t.Parallel()
			c := newCheckout(t)
			data := filepath.Join(c.Dir, strings.Repeat("a-long-name-", 12)) // too long for a socket path
			p := c.Start(t, lastLineOfGreeting, "bin/turnpike", "dev", "--data", data, "--port", "0")
			program.Until(t, tc.sign, func() bool {
				_, err := os.Lstat(filepath.Join(data, tc.sign))
				return err == nil
			})
			pids := program.Family(t, p.Cmd.Process.Pid)
			p.Interrupt(t)
			if code := p.Wait(t); code != 0 {
				t.Errorf("exit code: got %d, want 0:\n%s", code, p.Stderr)
			}
			program.Until(t, "its processes to end", func() bool { return len(program.Alive(pids)) == 0 })
			leavesNothing(t, data)
			if !tc.again {
				return
			}
			whole := c.startDev(t, "--data", data, "--port", "0")
			readScrape(t, c.Succeeds(t, whole.printed[0]).Stdout)
			whole.stopsWithoutTrace(t, data)
		})
	}
}

// dev uses the database that the environment names, and does not show its password.
func TestDevWithADatabase(t *testing.T) {
	t.Parallel()
	database, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	const secret = "geheim"
	settings := database.Query()
	settings.Set("application_name", secret) // stands in for a password, which a server might not accept
	database.RawQuery = settings.Encode()
	c := newCheckout(t).with("DATABASE_URL=" + database.String())
	data := filepath.Join(c.Dir, "data")
	r := c.startDev(t, "--data", data, "--port", "0")
	if len(r.printed) != 9 {
		t.Fatalf("commands in the greeting: got %d, want 9:\n%s", len(r.printed), r.Stdout)
	}
	readScrape(t, c.Succeeds(t, r.printed[0]).Stdout)
	c.agrees(t, r.printed[7], r.printed[8], 999)
	if said := r.Stdout.String() + r.Stderr.String(); strings.Contains(said, secret) {
		t.Errorf("got\n%s, want the database's address left out", said)
	}
	if _, err := os.Lstat(filepath.Join(data, "postgres")); err == nil {
		t.Error("a private Postgres was made all the same")
	}
	r.stopsWithoutTrace(t, data)
}

// dev reports a wrong setting in one line before it starts anything.
func TestDevRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(c.Dir, "data")
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"a port in use", []string{"--port", port}, "port " + port + " cannot be used"},
		{"no port at all", []string{"--port", "99999"}, `--port "99999": want a whole number from 0 to 65535`},
		{"a negative port", []string{"--port", "-1"}, `--port "-1": want a whole number`},
		{"a port that is no number", []string{"--port", "http"}, `--port "http": want a whole number`},
		{"an unknown flag", []string{"--prot", "80"}, "unknown flag: --prot"},
		{"an argument", []string{"now"}, `unknown command "now" for "turnpike dev"`},
		{"a file for a directory", []string{"--data", filepath.Join(c.Dir, "bin", "turnpike"), "--port", "0"}, "making the data directory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			args := tc.args
			if tc.args[0] != "--data" {
				args = append(args, "--data", data)
			}
			got := c.Turnpike(t, append([]string{"dev"}, args...)...)
			if got.Code != 1 || !strings.Contains(got.Stderr, tc.want) || strings.Count(got.Stderr, "\n") > 1 {
				t.Errorf("got %d %q, want 1 and one line with %q", got.Code, got.Stderr, tc.want)
			}
			if got.Stdout != "" {
				t.Errorf("stdout: got %q, want nothing", got.Stdout)
			}
		})
	}
}

// dev refuses a live Stripe key, so no real card is charged for credits of a throw-away server.
func TestDevTakesNoLiveStripeKey(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	got := c.with("STRIPE_SECRET_KEY=sk_live_a", "STRIPE_WEBHOOK_SECRET=whsec_a").Turnpike(t, "dev", "--port", "0")
	if got.Code != 1 || !strings.Contains(got.Stderr, "STRIPE_SECRET_KEY is not a test key") || strings.Contains(got.Stderr, "sk_live_a") {
		t.Errorf("got %d %q, want it refused", got.Code, got.Stderr)
	}
}

// `turnpike doctor` asks turnpike-dev what `turnpike dev` needs.
func TestDoctorChecksDev(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	if got := c.Turnpike(t, "doctor"); got.Code != 0 || !regexp.MustCompile(`(?m)^ok +Postgres binaries \(turnpike dev, tests\) +\d+(\.\d+)* in /`).MatchString(got.Stdout) {
		t.Errorf("got %d\n%s%s, want 0 and the Postgres binaries", got.Code, got.Stdout, got.Stderr)
	}
	got := c.with("PGBIN="+filepath.Join(c.Dir, "nowhere")).Turnpike(t, "doctor")
	if got.Code != 1 || !regexp.MustCompile(`(?m)^missing +Postgres binaries.*nowhere`).MatchString(got.Stdout) ||
		!strings.Contains(got.Stderr, "turnpike dev cannot run on this machine") {
		t.Errorf("got %d\n%s%s, want 1 and what is missing", got.Code, got.Stdout, got.Stderr)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	got, direct := c.Turnpike(t, "dev", "--help"), c.Run(t, "bin/turnpike-dev", "--help")
	if got != direct || got.Code != 0 || got.Stderr != "" || !strings.Contains(got.Stdout, "\n  turnpike dev [flags]\n") {
		t.Errorf("got %d %q\n%s\nand from turnpike-dev\n%s\nwant one help, of turnpike dev", got.Code, got.Stderr, got.Stdout, direct.Stdout)
	}
}
