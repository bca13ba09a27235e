//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

const facilitatorSite = `
	handle_path /own/* {
		x402_facilitator {
			pay_to 0x209693Bc6afc0C5328bA36FaF03C514EF312287C
		}
	}
	handle_path /others/* {
		x402_facilitator {
			pay_to 0x00000000000000000000000000000000000000AA
		}
	}
	handle /partners/* {
		api_key {
			optional
		}
		team_limit {
			default 2 per 1h
			keyless 1000 per 1m
		}
		uri strip_prefix /partners
		x402_facilitator {
			require_key
		}
	}
	handle /bare/* {
		uri strip_prefix /bare
		x402_facilitator {
			require_key
		}
	}
`

// facilitatorBody is a request about a payment. The facilitator of these tests accepts every signature.
func facilitatorBody(version int, nonce byte) string {
	const payTo, asset = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	payload := fmt.Sprintf(`{"signature":"0x%s","authorization":{"from":"0x1111111111111111111111111111111111111111","to":"%s","value":"10000",
		"validAfter":"0","validBefore":"%d","nonce":"0x%s"}}`, strings.Repeat("11", 65), payTo, time.Now().Add(time.Minute).Unix(), strings.Repeat(fmt.Sprintf("%02x", nonce), 32))
	rest := fmt.Sprintf(`"payTo":"%s","asset":"%s","maxTimeoutSeconds":60,"extra":{"name":"USDC","version":"2"}}`, payTo, asset)
	if version == 1 {
		return `{"x402Version":1,"paymentPayload":{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":` + payload + `},
			"paymentRequirements":{"scheme":"exact","network":"base-sepolia","maxAmountRequired":"10000","resource":"https://x.example.com/","description":"","mimeType":"",` + rest + `}`
	}
	offer := `{"scheme":"exact","network":"eip155:84532","amount":"10000",` + rest
	return `{"x402Version":2,"paymentPayload":{"x402Version":2,"accepted":` + offer + `,"payload":` + payload + `},"paymentRequirements":` + offer + `}`
}

func TestFacilitatorService(t *testing.T) {
	e := newEdge(t, facilitatorSite)
	settled := accepting.settled.Load()
	wantSettled := func(when string, want int64) {
		t.Helper()
		if got := accepting.settled.Load() - settled; got != want {
			t.Errorf("%s: settled %d, want %d", when, got, want)
		}
	}
	for version := 1; version <= 2; version++ {
		body := facilitatorBody(version, byte(version))
		if a := e.do("POST", "/own/verify", body); a.status != http.StatusOK || !strings.Contains(a.body, `"isValid":true`) {
			t.Errorf("verify v%d: got %d %s", version, a.status, a.body)
		}
		if a := e.do("POST", "/own/settle", body); a.status != http.StatusOK || !strings.Contains(a.body, `"success":true`) {
			t.Errorf("settle v%d: got %d %s", version, a.status, a.body)
		}
		wantSettled("listed recipient", int64(version))
	}
	if a := e.do("GET", "/own/supported", ""); a.status != http.StatusOK || !strings.Contains(a.body, `"kinds"`) {
		t.Errorf("supported: got %d %s", a.status, a.body)
	}
	for path, want := range map[string]string{"/others/settle": "errorReason", "/others/verify": "invalidReason"} {
		a := e.do("POST", path, facilitatorBody(2, 3))
		if a.status != http.StatusOK || !strings.Contains(a.body, `"`+want+`":"invalid_payment_requirements"`) {
			t.Errorf("another recipient: got %d %s", a.status, a.body)
		}
	}
	e.do("POST", "/partners/settle", facilitatorBody(2, 4)).wantError(t, 401, "invalid_api_key")
	e.do("POST", "/partners/settle", facilitatorBody(2, 4), "Authorization", "Bearer nonsense").wantError(t, 401, "invalid_api_key")
	e.do("GET", "/partners/supported", "").wantError(t, 401, "invalid_api_key")
	// Without an api_key before it, the handler refuses every request.
	e.do("POST", "/bare/settle", facilitatorBody(2, 4), bearerHeader...).wantError(t, 401, "invalid_api_key")
	wantSettled("refused", 2)
	if a := e.do("POST", "/partners/settle", facilitatorBody(2, 5), bearerHeader...); a.status != http.StatusOK || !strings.Contains(a.body, `"success":true`) {
		t.Errorf("with a key: got %d %s", a.status, a.body)
	}
	e.do("POST", "/partners/verify", facilitatorBody(2, 6), bearerHeader...)
	e.do("POST", "/partners/settle", facilitatorBody(2, 6), bearerHeader...).wantError(t, 429, "rate_limit_exceeded")
	wantSettled("over the limit", 3)
	for uri, want := range map[string]int{"/own/settle": 405, "/own/": 404, "/own/settle/x": 404} {
		if a := e.do("GET", uri, ""); a.status != want || !json.Valid([]byte(a.body)) {
			t.Errorf("GET %s: got %d %s, want %d", uri, a.status, a.body, want)
		}
	}
	if a := e.do("POST", "/own/settle", strings.Repeat(" ", 1<<17)); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: got %d %s", a.status, a.body)
	}
	if e.calls.Load() != 0 {
		t.Error("the upstream was asked")
	}
}

func TestFacilitatorServiceFaults(t *testing.T) {
	const app = `"turnpike": {"ledger": {"type": "memory"}, "x402": {"pay_to": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", "facilitator": {"type": "accepting"}}}`
	const noX402 = `"turnpike": {"ledger": {"type": "memory"}}`
	t.Setenv("TURNPIKE_TEST_ADDRESS", "0x12")
	for name, tt := range map[string]struct{ app, handler, want string }{
		"open":        {app, `{"handler": "x402_facilitator"}`, "require_key"},
		"no x402":     {noX402, `{"handler": "x402_facilitator", "require_key": true}`, "configure `x402`"},
		"no address":  {app, `{"handler": "x402_facilitator", "pay_to": ["{env.TURNPIKE_TEST_ADDRESS}"]}`, `"0x12" is not an address`},
		"not set":     {app, `{"handler": "x402_facilitator", "pay_to": ["{env.TURNPIKE_TEST_NONE}"]}`, "pay_to"},
		"good by key": {app, `{"handler": "x402_facilitator", "require_key": true}`, ""},
	} {
		config := `{"admin": {"disabled": true, "config": {"persist": false}}, "apps": {` + tt.app +
			`, "http": {"servers": {"s": {"listen": ["` + freeAddress(t) + `"], "routes": [{"handle": [` + tt.handler + `]}]}}}}}`
		err := caddy.Load([]byte(config), true)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
}
