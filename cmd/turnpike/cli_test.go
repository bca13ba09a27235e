package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/program"
)

// noDatabase is an address where nothing listens. It contains a password, which no message may show.
const noDatabase = "postgres://nobody:geheim@127.0.0.1:1/none"

// checkout is one whose bin/turnpike is this test binary.
type checkout struct{ *program.Checkout }

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &checkout{program.NewCheckout(t, map[string]string{"turnpike": self})}
}

// with returns the checkout with more environment variables.
func (c *checkout) with(settings ...string) *checkout { return &checkout{c.With(settings...)} }

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// wrong is a command that must fail with one line that gives the reason.
type wrong struct {
	name string
	args []string
	want string
}

func (c *checkout) refuses(t *testing.T, cases []wrong) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := c.Turnpike(t, tc.args...)
			if got.Code != 1 || !strings.Contains(got.Stderr, tc.want) {
				t.Errorf("turnpike %q: got %d %q, want 1 and %q", tc.args, got.Code, got.Stderr, tc.want)
			}
			if got.Stdout != "" {
				t.Errorf("stdout: got %q, want nothing", got.Stdout)
			}
			for _, secret := range []string{"geheim", "goroutine", "SQLSTATE", "hunter2"} {
				if strings.Contains(got.Stderr, secret) {
					t.Errorf("stderr: got %q, want no %q in it", got.Stderr, secret)
				}
			}
		})
	}
}

// Caddy's commands that would replace the program with one without our modules refuse and say what to do instead.
func TestCommandsThatReplaceTheProgram(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.refuses(t, []wrong{
		{"upgrade", []string{"upgrade"}, "Replace the binary with a newer release of Turnpike"},
		{"with a flag", []string{"upgrade", "--keep-backup"}, "Replace the binary with a newer release of Turnpike"},
		{"add-package", []string{"add-package", "github.com/mholt/caddy-ratelimit"}, "make build"},
		{"remove-package", []string{"remove-package", "github.com/turnpike-edge/turnpike"}, "make build"},
	})
	if help := c.Turnpike(t, "help").Stdout; strings.Contains(help, "upgrade") || strings.Contains(help, "-package") {
		t.Errorf("got help that offers them:\n%s", help)
	}
}

func TestCommandsWithoutDatabase(t *testing.T) {
	t.Parallel()
	var unset, unreachable []wrong
	for _, args := range [][]string{
		{"migrate"},
		{"backend"},
		{"teams", "create", "--name", "x"},
		{"teams", "list"},
		{"keys", "create", "--team", "x"},
		{"keys", "list", "--team", "x"},
		{"keys", "revoke", "x"},
		{"keys", "rotate", "x"},
		{"credits", "grant", "--team", "x", "--credits", "1"},
		{"credits", "show", "--team", "x"},
		{"credits", "reverse", "1"},
		{"credits", "refund", "--team", "x", "--credits", "1", "--idempotency-key", "x"},
		{"payments", "reconcile"},
		{"payments", "sweep"},
		{"payments", "mismatches"},
		{"payments", "mismatches", "resolve", "pi_1", "--note", "x"},
		{"payments", "list"},
		{"payments", "refunds"},
		{"payments", "refunds", "export"},
		{"payments", "refunds", "add", "01993f0e-7c1b-7cc2-a1c5-5f0e7a2b9d10", "--note", "x"},
		{"payments", "refunds", "mark", "01993f0e-7c1b-7cc2-a1c5-5f0e7a2b9d10", "--transaction", "0x" + strings.Repeat("0", 64)},
		{"payments", "refunds", "pay", "--all"},
	} {
		name := strings.Join(args, " ")
		unset = append(unset, wrong{name, args, "DATABASE_URL is not set: want a Postgres URL"})
		if args[0] != "backend" {
			unreachable = append(unreachable, wrong{name, args, "connection refused"})
		}
	}
	c := newCheckout(t)
	t.Run("unset", func(t *testing.T) {
		t.Parallel()
		c.refuses(t, unset)
	})
	t.Run("unreachable", func(t *testing.T) {
		t.Parallel()
		c.with("DATABASE_URL="+noDatabase).refuses(t, unreachable)
	})
	t.Run("no address", func(t *testing.T) {
		t.Parallel()
		c.with("DATABASE_URL=postgre://me:geheim@localhost/turnpike").refuses(t, []wrong{{"migrate", []string{"migrate"}, "DATABASE_URL cannot be read"}})
	})
}

// Operators' mistakes are reported and change nothing.
func TestOperatorsMistakes(t *testing.T) {
	t.Parallel()
	c := newCheckout(t).with("DATABASE_URL=" + pgtest.New(t, migrate))
	team := strings.TrimSpace(c.Succeeds(t, "turnpike teams create --name 'A team'").Stdout)
	c.Succeeds(t, "turnpike credits grant --team "+team+" --credits 5 --idempotency-key once")
	again := c.Succeeds(t, "turnpike credits grant --team "+team+" --credits 5 --idempotency-key once").Stdout
	if want := "This grant was made before. Balance: 5 credits\n"; again != want {
		t.Errorf("the same grant again: got %q, want %q", again, want)
	}
	grant := func(args ...string) []string { return append([]string{"credits", "grant", "--team", team}, args...) }
	refund := func(args ...string) []string { return append([]string{"credits", "refund", "--team", team}, args...) }
	t.Run("refused", func(t *testing.T) {
		c.refuses(t, []wrong{
			{"no such command", []string{"teams", "crate"}, `unknown command "crate" for "turnpike teams": want one of create, list`},
			{"team without name", []string{"teams", "create"}, `required flag(s) "name" not set`},
			{"team with an empty name", []string{"teams", "create", "--name", " "}, "--name is empty"},
			{"grant to nobody", []string{"credits", "grant", "--credits", "5"}, `required flag(s) "team" not set`},
			{"grant to an unknown team", []string{"credits", "grant", "--team", "team_x", "--credits", "5"}, `team "team_x": no such team`},
			{"grant below zero", grant("--credits", "-5"), "--credits -5: want 1 to 1000000000000"},
			{"grant of nothing", grant("--credits", "0"), "--credits 0: want 1 to"},
			{"grant of too much", grant("--credits", "9223372036854775807"), "want 1 to 1000000000000"},
			{"grant of a fraction", grant("--credits", "1.5"), `--credits "1.5": want a whole number`},
			{"key of another amount", grant("--credits", "6", "--idempotency-key", "once"), `"once": idempotency key was used for another`},
			{"credits of an unknown team", []string{"credits", "show", "--team", "team_x"}, `team "team_x": no such team`},
			{"reverse nothing", []string{"credits", "reverse"}, "want one, the number of a transfer"},
			{"reverse by a name", []string{"credits", "reverse", "first"}, `transfer "first": want its number`},
			{"reverse an unknown transfer", []string{"credits", "reverse", "4711"}, "transfer 4711: no such transfer"},
			{"refund without a key", refund("--credits", "5"), `required flag(s) "idempotency-key" not set`},
			{"refund with an empty key", refund("--credits", "5", "--idempotency-key", " "), "--idempotency-key is empty"},
			{"refund of nothing", refund("--credits", "0", "--idempotency-key", "x"), "--credits 0: want 1 to"},
			{"refund to an unknown team", []string{"credits", "refund", "--team", "team_x", "--credits", "5", "--idempotency-key", "x"}, `team "team_x": no such team`},
			{"key for an unknown team", []string{"keys", "create", "--team", "team_x"}, `team "team_x": no such team`},
			{"keys of an unknown team", []string{"keys", "list", "--team", "team_x"}, `team "team_x": no such team`},
			{"team with no address", []string{"teams", "create", "--name", "x", "--email", "nobody"}, `--email "nobody": want an address such as`},
			{"team with an address and more", []string{"teams", "create", "--name", "x", "--email", "A <a@example.com>"}, "want an address such as"},
			{"key with an unknown scope", []string{"keys", "create", "--team", team, "--scopes", "read,admin"}, `--scopes: "admin" is not a scope: want read, write or billing`},
			{"key with no scope", []string{"keys", "create", "--team", team, "--scopes", ""}, "--scopes is empty"},
			{"key with a name too long", []string{"keys", "create", "--team", team, "--name", strings.Repeat("n", 101)}, "name has 101 characters: want 100 or fewer"},
			{"key with a name on two lines", []string{"keys", "create", "--team", team, "--name", "a\nb"}, "want text on one line"},
			{"key that ends never", []string{"keys", "create", "--team", team, "--expires", "never"}, `--expires "never": want a duration such as 90d or 12h, a date`},
			{"key that has ended", []string{"keys", "create", "--team", team, "--expires", "2020-01-31"}, `--expires "2020-01-31": want a time in the future`},
			{"key that ends at once", []string{"keys", "create", "--team", team, "--expires", "0d"}, "want a time in the future"},
			{"key that ends before now", []string{"keys", "create", "--team", team, "--expires", "-5h"}, `--expires "-5h": want a duration`},
			{"key that ends in an age", []string{"keys", "create", "--team", team, "--expires", "99999d"}, "want a duration such as"},
			{"rotate nothing", []string{"keys", "rotate"}, "want one, the id of a key"},
			{"rotate an unknown key", []string{"keys", "rotate", "key_x"}, `key "key_x": no such key`},
			{"rotate with an overlap in words", []string{"keys", "rotate", "key_x", "--overlap", "a while"}, `--overlap "a while": want a duration such as`},
			{"rotate with an overlap too long", []string{"keys", "rotate", "key_x", "--overlap", "31d"}, "from 0 to 720h0m0s"},
			{"revoke nothing", []string{"keys", "revoke"}, "want one, the id of a key"},
			{"revoke an unknown key", []string{"keys", "revoke", "key_x"}, `key "key_x": no such key`},
		})
	})
	if got := c.Succeeds(t, "turnpike teams list").Stdout; strings.Count(got, "\n") != 2 || !regexp.MustCompile(team+` +A team +5 +0 `).MatchString(got) {
		t.Errorf("after all that: got %s, want the one team with 5 credits", got)
	}
}

// A mistaken grant can be reversed and a mistaken charge refunded, each only once.
func TestCreditsBackFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := newCheckout(t).with("DATABASE_URL=" + pgtest.New(t, migrate))
	team := strings.TrimSpace(c.Succeeds(t, "turnpike teams create --name 'A team'").Stdout)
	c.Succeeds(t, "turnpike credits grant --team "+team+" --credits 50")
	shown := regexp.MustCompile(`\+50 +grant +transfer (\d+)`).FindStringSubmatch(c.Succeeds(t, "turnpike credits show --team "+team).Stdout)
	if shown == nil {
		t.Fatal("credits show: got no grant with its transfer")
	}
	for _, step := range []struct{ command, want string }{
		{"refund --idempotency-key t7 --credits 8 --reason 'an empty page' --team " + team, `^Refunded 8 credits\. Balance: 58 credits\n$`},
		{"refund --idempotency-key t7 --credits 8 --team " + team, `^This refund was made before\. Balance: 58 credits\n$`},
		{"reverse " + shown[1], `^Reversed by transfer \d+: took 50 credits, of which 0 are owed now\.\n$`},
		{"reverse " + shown[1] + " --reason twice", `^Transfer ` + shown[1] + ` was reversed before, by transfer \d+\.\n$`},
		{"show --team " + team, `(?s)balance +8\n.*−50 +reversal +transfer.*\+8 +reversal +transfer`},
	} {
		if got := c.Succeeds(t, "turnpike credits "+step.command).Stdout; !regexp.MustCompile(step.want).MatchString(got) {
			t.Errorf("credits %s: got %q, want %s", step.command, got, step.want)
		}
	}
	if got := c.Succeeds(t, "turnpike payments reconcile").Stdout; !strings.Contains(got, "no differences") {
		t.Errorf("payments reconcile: got %q, want no differences", got)
	}
	if got := c.Succeeds(t, "turnpike payments sweep").Stdout; got != "0 holds voided, 0 expired.\n" {
		t.Errorf("payments sweep: got %q, want nothing to do", got)
	}
}

// A key is listed without its secret, and revoking it twice keeps the first time.
func TestKeysFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := newCheckout(t).with("DATABASE_URL=" + pgtest.New(t, migrate))
	team := strings.TrimSpace(c.Succeeds(t, "turnpike teams create --name keys").Stdout)
	made := c.Succeeds(t, "turnpike keys create --name first --team "+team)
	key := strings.TrimSpace(made.Stdout)
	id, _, _ := strings.Cut(made.Stderr, ":")
	if !strings.HasPrefix(key, "tp_") || id == "" {
		t.Fatalf("keys create: got %q %q, want a key and its id", made.Stdout, made.Stderr)
	}
	list := c.Succeeds(t, "turnpike keys list --team "+team).Stdout
	if !strings.Contains(list, id) || strings.Contains(list, key) {
		t.Errorf("keys list: got %s, want the id %s and not the key", list, id)
	}
	revoked := regexp.MustCompile(id + ` revoked at (\S+)\n`)
	first := revoked.FindString(c.Succeeds(t, "turnpike keys revoke "+id).Stdout)
	if first == "" || revoked.FindString(c.Succeeds(t, "turnpike keys revoke "+id).Stdout) != first {
		t.Errorf("keys revoke, twice: got %q first, want the same moment both times", first)
	}
}

// The JSON output says the same as the text. A rotated key works until the end of the overlap, and is not rotated again.
func TestKeysAsJSON(t *testing.T) {
	t.Parallel()
	c := newCheckout(t).with("DATABASE_URL=" + pgtest.New(t, migrate))
	run := func(into any, args ...string) {
		t.Helper()
		got := c.Turnpike(t, append(args, "--json")...)
		if got.Code != 0 || got.Stderr != "" {
			t.Fatalf("turnpike %q: got %d %q, want 0 and JSON alone", args, got.Code, got.Stderr)
		}
		if err := json.Unmarshal([]byte(got.Stdout), into); err != nil {
			t.Fatalf("turnpike %q: %v in %s", args, err, got.Stdout)
		}
	}
	type key struct {
		ID, Key, Name, Prefix string
		Scopes                []string
		ExpiresAt             *time.Time `json:"expires_at"`
		RevokedAt             *time.Time `json:"revoked_at"`
		RotatedFrom           string     `json:"rotated_from"`
		ReplacedBy            string     `json:"replaced_by"`
		OldExpiresAt          *time.Time `json:"old_expires_at"`
	}
	var team struct{ ID, Name, Email string }
	run(&team, "teams", "create", "--name", "A & B", "--email", "money@example.com")
	var teams []struct{ ID, Name, Email string }
	run(&teams, "teams", "list")
	if len(teams) != 1 || teams[0] != team || team.Name != "A & B" || team.Email != "money@example.com" {
		t.Errorf("teams: got %+v, want %+v alone", teams, team)
	}
	var first, second, third, rotated key
	run(&first, "keys", "create", "--team", team.ID)
	run(&second, "keys", "create", "--team", team.ID, "--name", "deploy", "--expires", "90d")
	run(&third, "keys", "create", "--team", team.ID, "--scopes", "billing,read", "--expires", "2999-12-31")
	for _, tc := range []struct {
		got         key
		scopes, end string
	}{
		{first, "[read write billing]", ""},
		{second, "[read write]", time.Now().UTC().AddDate(0, 0, 90).Format(time.DateOnly)},
		{third, "[read billing]", "2999-12-31"},
	} {
		end := ""
		if tc.got.ExpiresAt != nil {
			end = tc.got.ExpiresAt.UTC().Format(time.DateOnly)
		}
		if fmt.Sprint(tc.got.Scopes) != tc.scopes || end != tc.end || !strings.HasPrefix(tc.got.Key, "tp_") {
			t.Errorf("created: got %+v, want scopes %s and the end %q", tc.got, tc.scopes, tc.end)
		}
	}
	run(&rotated, "keys", "rotate", second.ID, "--overlap", "7d")
	if rotated.RotatedFrom != second.ID || rotated.Name != "deploy" || rotated.OldExpiresAt == nil ||
		time.Until(*rotated.OldExpiresAt).Round(time.Hour) != 7*24*time.Hour {
		t.Errorf("rotated: got %+v, want one for %s, which ends in 7 days", rotated, second.ID)
	}
	again := c.Turnpike(t, "keys", "rotate", second.ID)
	if want := "it was replaced by " + rotated.ID; again.Code != 1 || !strings.Contains(again.Stderr, want) {
		t.Errorf("rotated again: got %d %q, want 1 and %q", again.Code, again.Stderr, want)
	}
	var revoked key
	run(&revoked, "keys", "revoke", first.ID)
	var list []key
	run(&list, "keys", "list", "--team", team.ID)
	if len(list) != 4 || list[0].ID != rotated.ID || list[2].ReplacedBy != rotated.ID || list[3].ID != first.ID || list[3].RevokedAt == nil ||
		list[0].Key != "" || list[0].Prefix == "" {
		t.Errorf("list: got %+v, want the new one first, and the revoked one last", list)
	}
	words := c.Succeeds(t, "turnpike keys list --team "+team.ID).Stdout
	for _, want := range []string{"KEY +PREFIX +NAME +SCOPES +CREATED +LAST USED +EXPIRES +REVOKED +REPLACED BY", second.ID + ` .* deploy .* ` + rotated.ID} {
		if !regexp.MustCompile(want).MatchString(words) {
			t.Errorf("list in words: got\n%s, want %s", words, want)
		}
	}
	said := c.Turnpike(t, "keys", "rotate", third.ID, "--overlap", "0").Stderr
	if !strings.Contains(said, "It has the scopes read,billing and expires on ") || !strings.Contains(said, third.ID+", which it replaces, expires on ") {
		t.Errorf("rotate in words: got %q", said)
	}
}

func TestBackendMistakes(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s", 32)
	c := newCheckout(t)
	whole := c.with("DATABASE_URL="+noDatabase, "TURNPIKE_IDENTITY_SECRET="+secret, "TURNPIKE_CONTENT_SECRET="+secret,
		"TURNPIKE_BLOB_URL="+filepath.Join(c.Dir, "blobs"), "TURNPIKE_BASE_URL=https://api.example.com")
	t.Run("all settings at once", func(t *testing.T) {
		t.Parallel()
		got := c.with("TURNPIKE_IDENTITY_SECRET=hunter2").Turnpike(t, "backend")
		for _, want := range []string{
			"DATABASE_URL is not set", "TURNPIKE_IDENTITY_SECRET has 7 bytes: want at least 32",
			"TURNPIKE_CONTENT_SECRET has 0 bytes", "TURNPIKE_BLOB_URL is not set", "TURNPIKE_BASE_URL is not set",
		} {
			if got.Code != 1 || !strings.Contains(got.Stderr, want) {
				t.Errorf("got %d %q, want 1 and %q", got.Code, got.Stderr, want)
			}
		}
		if strings.Contains(got.Stderr, "hunter2") {
			t.Errorf("got %q, want the secret left out", got.Stderr)
		}
	})
	whole.with("TURNPIKE_PROXIES=DE=http://user:hunter2@proxy.example,XXX=http://x").refuses(t, []wrong{
		{"a proxy's country", []string{"backend"}, "TURNPIKE_PROXIES: entry 2: want a two-letter country code"},
	})
	whole.with("TURNPIKE_PROXIES=@/nowhere").refuses(t, []wrong{{"a list of proxies", []string{"backend"}, "TURNPIKE_PROXIES: open /nowhere"}})
	whole.with("TURNPIKE_HOST_RATE=fast").refuses(t, []wrong{{"a rate", []string{"backend"}, `TURNPIKE_HOST_RATE is "fast": want requests a second`}})
	whole.with("TURNPIKE_HOST_CONNECTIONS=0").refuses(t, []wrong{{"connections", []string{"backend"}, `TURNPIKE_HOST_CONNECTIONS is "0": want 1 to`}})
	for setting, want := range map[string]string{
		"TURNPIKE_BROWSER=/nowhere/chromium": "TURNPIKE_BROWSER: no browser at /nowhere/chromium",
		"TURNPIKE_BROWSER=ws://":             "TURNPIKE_BROWSER: Endpoint must be a ws:// or wss:// address",
		"TURNPIKE_BROWSER_EGRESS=backend":    `TURNPIKE_BROWSER: EgressHost "backend" must be an IP address`,
		"TURNPIKE_BROWSERS=0":                `TURNPIKE_BROWSERS is "0": want 1 to 256`,
		"TURNPIKE_BROWSER_PAGES=many":        `TURNPIKE_BROWSER_PAGES is "many": want 1 to 64`,
		"TURNPIKE_PAGE_MEMORY=1":             `TURNPIKE_PAGE_MEMORY is "1": want 128 to`,
		"TURNPIKE_JOB_SLOTS=0":               `TURNPIKE_JOB_SLOTS is "0": want 1 to 10000`,
		"TURNPIKE_TEAM_RUNNING=all":          `TURNPIKE_TEAM_RUNNING is "all": want 1 to 10000`,
		"TURNPIKE_JOB_LEASE=10ms":            `TURNPIKE_JOB_LEASE is "10ms": want 1s to 1h0m0s, such as 60s`,
	} {
		whole.with(setting).refuses(t, []wrong{{setting, []string{"backend"}, want}})
	}
	whole.refuses(t, []wrong{
		{"a role", []string{"backend", "--role", "boss"}, `--role "boss": want api, worker or all`},
		{"a range", []string{"backend", "--allow-private", "10.0.0.1"}, "--allow-private"},
		{"a port", []string{"backend", "--allow-port", "70000"}, "--allow-port 70000: want 1 to 65535"},
		{"an unreachable database", []string{"backend", "--listen", "127.0.0.1:0"}, "connection refused"},
	})
}

// shop asks for an amount by x402 version 1, and fails the test if it is paid.
func shop(t *testing.T, amount, network string) string {
	t.Helper()
	offer := `"scheme":"exact","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e",` +
		`"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"name":"USDC","version":"2"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-PAYMENT") != "" || r.Header.Get("PAYMENT-SIGNATURE") != "" {
			t.Errorf("%s: a payment came", r.URL)
		}
		w.WriteHeader(http.StatusPaymentRequired)
		fmt.Fprintf(w, `{"x402Version":1,"error":"pay","accepts":[{%s,"network":%q,"maxAmountRequired":%q,`+
			`"resource":"http://shop/","description":"","mimeType":""}]}`, offer, network, amount)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestPayMistakes(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := crypto.SaveECDSA(filepath.Join(c.Dir, "wallet.key"), key); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"bad.key": "hunter2", "empty.key": ""} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dear := shop(t, "100001", "base-sepolia")
	elsewhere := shop(t, "1", "solana")
	page := program.LoopbackPage(t)
	pay := func(args ...string) []string { return append([]string{"pay", "--key-file", "wallet.key"}, args...) }
	c.refuses(t, []wrong{
		{"no URL", pay(), "0 arguments, want one, the URL"},
		{"two URLs", pay(page, page), "2 arguments, want one, the URL"},
		{"no wallet", []string{"pay", page}, "no wallet: give --key-file or set TURNPIKE_WALLET_KEY"},
		{"no such file", []string{"pay", page, "--key-file", "nowhere.key"}, "--key-file: open nowhere.key"},
		{"a file without a key", []string{"pay", page, "--key-file", "bad.key"}, "bad.key does not hold a private key"},
		{"an empty file", []string{"pay", page, "--key-file", "empty.key"}, "empty.key does not hold a private key"},
		{"half a URL", pay("api.example.com/x402"), "is not an absolute URL"},
		{"no URL by any reading", pay("://"), "missing protocol scheme"},
		{"a scheme that is not HTTP", pay("ftp://example.com/"), "unsupported protocol scheme"},
		{"version 3", pay(page, "--version", "3"), "--version 3: want 1 or 2"},
		{"a limit in words", pay(page, "--max", "much"), "--max: amount \"much\": want digits only, a decimal amount of USDC"},
		{"a limit below zero", pay(page, "--max", "-1"), "--max: amount \"-1\""},
		{"a limit of nothing", pay(page, "--max", "0.00"), "--max 0.00: want more than 0"},
		{"a limit too fine", pay(page, "--max", "0.0000001"), "at most 6 decimals"},
		{"half a header", pay(page, "--header", "Accept"), "--header \"Accept\": want `Name: value`"},
		{"a body from nowhere", pay(page, "--data", "@nowhere.json"), "--data: open nowhere.json"},
		{"nobody there", pay("http://127.0.0.1:1/"), "connection refused"},
		{"dearer than stock clients pay", pay(dear), "0.100001 USDC is more than the limit of 0.1"},
		{"dearer than --max", pay(dear, "--max", "0.1"), "0.100001 USDC is more than the limit of 0.1"},
		{"on no network of the wallet's", pay(elsewhere), "no offer is on a network that the wallet supports"},
	})
	t.Run("what costs nothing", func(t *testing.T) {
		t.Parallel()
		got := c.Turnpike(t, pay(page)...)
		if got.Code != 0 || !strings.Contains(got.Stdout, "Served by a test") || !strings.Contains(got.Stderr, "no payment was required, and nothing was paid") {
			t.Errorf("got %d %q %q, want the page and nothing paid", got.Code, got.Stdout, got.Stderr)
		}
	})
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	t.Run("a machine that has all", func(t *testing.T) {
		t.Parallel()
		url := pgtest.New(t, migrate)
		got := c.with("DATABASE_URL="+url, "TURNPIKE_BASE_URL=https://api.example.com").Turnpike(t, "doctor")
		for _, want := range []string{`(?m)^ok +turnpike dev +not installed`, `(?m)^ok +DATABASE_URL +reachable, schema up to date$`, `(?m)^ok +TURNPIKE_BASE_URL`} {
			if got.Code != 0 || !regexp.MustCompile(want).MatchString(got.Stdout) {
				t.Errorf("got %d\n%s%s, want 0 and %s", got.Code, got.Stdout, got.Stderr, want)
			}
		}
	})
	t.Run("a database that is behind", func(t *testing.T) {
		t.Parallel()
		got := c.with("DATABASE_URL="+pgtest.URL(t)).Turnpike(t, "doctor")
		if !regexp.MustCompile(`(?m)^missing +DATABASE_URL +\d+ migrations are pending: turnpike migrate$`).MatchString(got.Stdout) {
			t.Errorf("got\n%s, want the pending migrations", got.Stdout)
		}
	})
	t.Run("fetching", func(t *testing.T) {
		t.Parallel()
		for _, tt := range []struct {
			env  []string
			want string
		}{
			{nil, `(?m)^ok +Proxies \(country\) +off; to fetch pages from other countries, set TURNPIKE_PROXIES`},
			{[]string{"TURNPIKE_PROXIES=us=http://u:hunter2@a.example,DE=http://b.example"}, `(?m)^ok +Proxies \(country\) +for DE, US$`},
			{[]string{"TURNPIKE_PROXIES=DE=ftp://u:hunter2@a.example"}, `(?m)^missing +Proxies \(country\) .*scheme "ftp"`},
			{nil, `(?m)^ok +Politeness \(per host\) +2 requests at once and 5 a second`},
			{[]string{"TURNPIKE_HOST_RATE=0.5", "TURNPIKE_HOST_CONNECTIONS=1"}, `(?m)^ok +Politeness .* 1 requests at once and 0.5 a second`},
			{[]string{"TURNPIKE_HOST_RATE=off"}, `(?m)^ok +Politeness .* off: `},
			{[]string{"TURNPIKE_HOST_RATE=1e9"}, `(?m)^missing +Politeness .* want requests a second, 0.01 to 1000, or off`},
			{nil, `(?m)^ok +Jobs \(batches, crawls\) +64 pages at once in a worker, at most 12 in all for one team; the pages of a lost worker are taken over after 1m0s$`},
			{[]string{"TURNPIKE_JOB_LEASE=1d"}, `(?m)^missing +Jobs \(batches, crawls\) +TURNPIKE_JOB_LEASE is "1d": want 1s to 1h`},
		} {
			if got := c.with(tt.env...).Turnpike(t, "doctor"); !regexp.MustCompile(tt.want).MatchString(got.Stdout) || strings.Contains(got.Stdout, "hunter2") {
				t.Errorf("%v: got\n%s, want %s", tt.env, got.Stdout, tt.want)
			}
		}
	})
	t.Run("stripe", func(t *testing.T) {
		t.Parallel()
		for _, tt := range []struct {
			env  []string
			want string
		}{
			{nil, `(?m)^ok +Stripe \(top-ups\) +off; to sell credits set STRIPE_SECRET_KEY`},
			{[]string{"STRIPE_SECRET_KEY=sk_test_a"}, `(?m)^missing +Stripe .* STRIPE_WEBHOOK_SECRET is not set`},
			{[]string{"STRIPE_WEBHOOK_SECRET=whsec_a"}, `(?m)^missing +Stripe .* STRIPE_SECRET_KEY is not set`},
			{[]string{"STRIPE_SECRET_KEY=rk_test_a", "STRIPE_WEBHOOK_SECRET=whsec_a"}, `(?m)^ok +Stripe .* test key: no money moves`},
			{[]string{"STRIPE_SECRET_KEY=sk_live_a", "STRIPE_WEBHOOK_SECRET=whsec_a"}, `(?m)^ok +Stripe .* live key`},
		} {
			if got := c.with(tt.env...).Turnpike(t, "doctor"); !regexp.MustCompile(tt.want).MatchString(got.Stdout) || strings.Contains(got.Stdout, "sk_live_a") {
				t.Errorf("%v: got\n%s, want %s", tt.env, got.Stdout, tt.want)
			}
		}
	})
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		for setting, want := range map[string]string{
			"off":                 `(?m)^ok +Chromium or Chrome .* off, as set in TURNPIKE_BROWSER$`,
			"ws://browser:9222/x": `(?m)^ok +Chromium or Chrome .* remote, as set in TURNPIKE_BROWSER$`,
			fakeBrowser(t):        `(?m)^missing +Chromium or Chrome .* sandbox does not work on this system: .* TURNPIKE_BROWSER_SANDBOX=off`,
			"/nowhere/chromium":   `(?m)^missing +Chromium or Chrome .* no browser at /nowhere/chromium$`,
		} {
			if got := c.with("TURNPIKE_BROWSER="+setting).Turnpike(t, "doctor"); got.Code != 0 || !regexp.MustCompile(want).MatchString(got.Stdout) {
				t.Errorf("%s: got %d\n%s, want %s", setting, got.Code, got.Stdout, want)
			}
		}
	})
	t.Run("the browser's sandbox", func(t *testing.T) {
		t.Parallel()
		got := c.with("TURNPIKE_BROWSER_SANDBOX=never").Turnpike(t, "doctor")
		if want := `TURNPIKE_BROWSER_SANDBOX "never": want on, or off`; !strings.Contains(got.Stdout, want) {
			t.Errorf("got\n%s, want %s", got.Stdout, want)
		}
	})
	t.Run("x402", func(t *testing.T) {
		t.Parallel()
		doctorLooksAtPayments(t, c)
	})
	t.Run("no programs", func(t *testing.T) {
		t.Parallel()
		got := c.with("PATH="+filepath.Join(c.Dir, "home")).Turnpike(t, "doctor")
		if !regexp.MustCompile(`(?m)^missing +npm client .* install Node\.js`).MatchString(got.Stdout) {
			t.Errorf("got\n%s, want npm missing", got.Stdout)
		}
	})
}

// Without the program of `turnpike dev`, the command says how to get it, whatever its arguments.
func TestDevIsNotInstalled(t *testing.T) {
	t.Parallel()
	const want = "run `make build` in a clone of Turnpike"
	c := newCheckout(t)
	c.refuses(t, []wrong{
		{"plain", []string{"dev"}, want},
		{"with flags", []string{"dev", "--port", "0"}, want},
		{"help", []string{"dev", "--help"}, want},
	})
	if help := c.Turnpike(t, "help", "dev"); help.Code != 0 || !strings.Contains(help.Stdout, "turnpike-dev") {
		t.Errorf("turnpike help dev: got %d %s, want its program named", help.Code, help.Stdout)
	}
}

// fakeBrowser is a browser without a sandbox, in a directory that every user can read.
func fakeBrowser(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "turnpike-fake-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "chromium")
	syscall.ForkLock.RLock() // a process forked meanwhile would inherit the file open for writing
	defer syscall.ForkLock.RUnlock()
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(path, []byte("#!/bin/sh\necho 'No usable sandbox!' >&2\nexit 1\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}

// The help of each of our commands shows its own name and explains its flags.
func TestHelp(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	for _, command := range []string{
		"", "backend", "browser", "migrate", "doctor", "pay", "teams", "teams create", "teams list", "keys", "keys create", "keys list",
		"keys revoke", "keys rotate", "credits", "credits grant", "credits show", "credits reverse", "credits refund",
		"payments", "payments reconcile", "payments sweep", "payments mismatches", "payments mismatches resolve",
		"payments", "payments reconcile", "payments sweep", "payments list", "payments refunds", "payments refunds pay",
		"payments refunds add", "payments refunds export", "payments refunds mark",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			got := c.Turnpike(t, append(strings.Fields(command), "--help")...)
			if got.Code != 0 || got.Stderr != "" {
				t.Fatalf("got %d %q, want 0 and nothing on stderr", got.Code, got.Stderr)
			}
			if want := "\n  turnpike " + command; !strings.Contains(got.Stdout, strings.TrimSuffix(want, " ")) {
				t.Errorf("usage: got\n%s, want %q", got.Stdout, want)
			}
			if command != "" && strings.Contains(strings.ToLower(got.Stdout), "caddy ") {
				t.Errorf("got\n%s, want nothing of caddy", got.Stdout)
			}
			flags := got.Stdout[strings.Index(got.Stdout, "\nFlags:\n")+1:]
			for line := range strings.SplitSeq(flags, "\n") {
				if strings.HasPrefix(strings.TrimSpace(line), "-") && !regexp.MustCompile(`--[a-z-]+( [\w: ]+?)?  +\S`).MatchString(line) {
					t.Errorf("a flag without a word on it: %q", line)
				}
			}
		})
	}
}

// The shipped systemd unit starts the command with flags that exist.
func TestBrowserUnit(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("../../dist/turnpike-browser.service")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(unit), "\n") {
		command, found := strings.CutPrefix(line, "ExecStart=/usr/local/bin/turnpike ")
		if !found {
			continue
		}
		if got := newCheckout(t).Turnpike(t, append(strings.Fields(command), "--help")...); got.Code != 0 || !strings.Contains(got.Stdout, "turnpike browser") {
			t.Errorf("%s: got %d, %s", command, got.Code, got.Stderr)
		}
		return
	}
	t.Error("the unit starts nothing")
}

// An invalid flag value is reported with the values that the flag takes, not with a library's message.
func TestFlagErrors(t *testing.T) {
	t.Parallel()
	newCheckout(t).refuses(t, []wrong{
		{"credits in words", []string{"credits", "grant", "--team", "x", "--credits", "many"}, `--credits "many": want a whole number`},
		{"ports in words", []string{"backend", "--allow-port", "http"}, `--allow-port "http": want a whole number`},
		{"a flag that is none", []string{"backend", "--nope"}, "unknown flag: --nope"},
	})
}

// The program's own help calls it turnpike, not caddy.
func TestRootHelp(t *testing.T) {
	t.Parallel()
	got := newCheckout(t).Succeeds(t, "turnpike --help").Stdout
	for _, want := range []string{"$ turnpike dev", "$ turnpike run --config Caddyfile", "https://caddyserver.com/docs/command-line"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %q in it", got, want)
		}
	}
	if strings.Contains(got, "$ caddy") {
		t.Errorf("got %s, want no caddy as the program's name", got)
	}
}
