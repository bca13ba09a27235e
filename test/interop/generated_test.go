//go:build interop

package interop

import (
	"cmp"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/payments/credits"
	x402client "github.com/turnpike-edge/turnpike/payments/x402/client"
)

// pythonOf runs the packages of openapi/requirements.txt.
func pythonOf(program string) string { return filepath.Join("openapi", ".venv", "bin", program) }

// TestStockGeneratedTypes shows that types generated from the OpenAPI document compile, and that programs in TypeScript and
// Python make the first call of every resource with them.
func TestStockGeneratedTypes(t *testing.T) {
	t.Parallel()
	// In this folder, so that the program's imports find node_modules.
	dir, err := os.MkdirTemp("openapi", "made-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, name := range []string{"use.ts", "use.py"} {
		program, err := os.ReadFile(filepath.Join("openapi", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), program, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	types, models := filepath.Join(dir, "types.ts"), filepath.Join(dir, "types_.py")
	tool(t, "node_modules/.bin/openapi-typescript", openAPI, "-o", types)
	tool(t, "node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", filepath.Join(dir, "use.ts"))
	tool(t, pythonOf("datamodel-codegen"), "--input", openAPI, "--input-file-type", "openapi", "--output", models, "--output-model-type", "pydantic_v2.BaseModel",
		"--target-python-version", "3.11", "--enum-field-as-literal", "all", "--use-annotated", "--disable-timestamp", "--formatters", "builtin")
	tool(t, pythonOf("mypy"), "--strict", "--cache-dir", t.TempDir(), filepath.Join(dir, "use.py"), models)
	if t.Failed() {
		return
	}
	dev := startDev(t)
	for name, command := range map[string][]string{
		"TypeScript": {"node", filepath.Join(dir, "use.js")}, "Python": {pythonOf("python"), filepath.Join(dir, "use.py")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			use := exec.CommandContext(t.Context(), command[0], command[1:]...)
			use.Env = environmentOf(dev, dev.URL)
			if said, err := use.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

func environmentOf(dev devServer, url string) []string {
	return append(os.Environ(), "EDGE="+url, "KEY="+dev.Key, "SITE="+dev.Site, "TITLE=How a toll road works",
		"NO_PROXY=localhost,127.0.0.1", "no_proxy=localhost,127.0.0.1")
}

// TestSchemathesis shows that the document describes all responses to generated requests of all operations: with a key,
// without one, and of a wallet. SCHEMATHESIS_EXAMPLES is how many requests of each operation there are, 100 by default.
func TestSchemathesis(t *testing.T) {
	t.Parallel()
	dev := startDev(t, "--allow-loopback")
	pool := pgtest.Open(t, dev.database, nil)
	var team string
	if err := pool.QueryRow(t.Context(), "select id from team where name = 'Demo'").Scan(&team); err != nil {
		t.Fatal(err)
	}
	// For what thousands of requests cost.
	if _, err := credits.NewLedger(pool).Grant(t.Context(), credits.Grant{
		TeamID: team, Amount: 1_000_000, Source: credits.SourcePromo, Key: "judges", Note: "judges",
	}); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(t.TempDir(), "made.json")
	const checks = "no_internal_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"
	// One after the other, each in one thread: ast.parse in several at once fails in Python 3.11 (python/cpython#106905).
	for _, caller := range []struct {
		name, url string
		args      []string
	}{
		{"with a key", dev.URL, []string{"--exclude-path-regex", "^/x402", "--header", "Authorization: Bearer " + dev.Key}},
		{"without a key", dev.URL, nil},
		{"by wallet", payingProxy(t, dev), []string{"--include-path-regex", "^/x402", "--generation-with-security-parameters", "false"}},
	} {
		t.Run(caller.name, func(t *testing.T) {
			start := time.Now()
			judge := exec.CommandContext(t.Context(), pythonOf("schemathesis"), append([]string{
				"run", openAPI, "--url", caller.url, "--phases", "fuzzing", "--max-examples", cmp.Or(os.Getenv("SCHEMATHESIS_EXAMPLES"), "100"),
				"--checks", checks, "--workers", "1", "--continue-on-failure", "--no-shrink", "--no-color", "--warnings", "off",
				"--generation-database", "none", "--suppress-health-check", "all", "--request-timeout", "120",
			}, caller.args...)...)
			judge.Env = append(environmentOf(dev, dev.URL), "PYTHONPATH=openapi", "SCHEMATHESIS_HOOKS=hooks", "MADE="+made)
			said, err := judge.CombinedOutput()
			t.Logf("%s", said)
			if err != nil {
				t.Errorf("%v after %s", err, time.Since(start).Round(time.Second))
			}
		})
	}
}

// walletSpendMax is the most that the wallet pays for a request, in millionths of a USDC. What costs more stays a challenge.
const walletSpendMax = 100_000

// payingProxy forwards requests to the edge, and pays those that may be paid.
func payingProxy(t *testing.T, dev devServer) string {
	t.Helper()
	key, err := crypto.HexToECDSA(dev.WalletKey)
	if err != nil {
		t.Fatal(err)
	}
	edge, err := url.Parse(dev.URL)
	if err != nil {
		t.Fatal(err)
	}
	buyer, err := x402client.New(x402client.Config{Client: &http.Client{Timeout: startTimeout}, Key: key, SpendMax: walletSpendMax})
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(edge) },
		Transport: paying{buyer},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// paying is a transport that pays.
type paying struct{ buyer *x402client.Buyer }

func (p paying) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.RequestURI = ""
	bought, err := p.buyer.Do(r)
	if errors.Is(err, x402client.ErrNoOffer) {
		return http.DefaultTransport.RoundTrip(again(r))
	}
	if err != nil {
		return nil, err
	}
	return bought.Response, nil
}

// again returns a request with its body as it was before it was sent.
func again(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	if r.GetBody != nil {
		r.Body, _ = r.GetBody()
	}
	return r
}
