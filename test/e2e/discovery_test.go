package e2e

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
)

var update = flag.Bool("update", false, "write the golden files")

// TestDiscovery shows that the shipped Caddyfile publishes, without a key, what the backend's price list and API
// description offer, and that each listing matches the challenge of its endpoint.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var got answer
	var doc gate.DiscoveryDocument
	eventually(t, "what is for sale", func() error { // the edge asks the backend for its listings once both are up
		got = call{method: http.MethodGet, url: s.edge + "/.well-known/x402"}.do(t)
		got.wantStatus(t, http.StatusOK)
		doc = gate.DiscoveryDocument{}
		if err := json.Unmarshal(got.body, &doc); err != nil || len(doc.Items) == 0 {
			return fmt.Errorf("%d items: %w", len(doc.Items), err)
		}
		return nil
	})
	wantGolden(t, s, got.body)
	templates, sold := 0, map[string]bool{}
	for _, item := range doc.Items {
		if strings.Contains(item.Resource, "{") { // a template cannot be fetched as it is
			templates++
			continue
		}
		sold[item.Resource] = true // all tools have one address
	}
	if len(sold) == 0 || len(doc.Resources) != len(sold) || templates != 1 {
		t.Fatalf("got %d items, %d of them templates, and %d resources, want each of what is sold", len(doc.Items), templates, len(doc.Resources))
	}
	for _, item := range doc.Items {
		quoted := item.Metadata.Price.Mode == gate.PriceDynamic // a listing cannot know the price of a particular request
		if tool := item.Metadata.Tool; tool != "" {
			accepts := unpaidCall(t, item.Resource, tool)
			if len(accepts) == 0 || !quoted && !reflect.DeepEqual(accepts, item.Accepts) {
				t.Errorf("tool %s: listed %v, challenged %v", tool, item.Accepts, accepts)
			}
			continue
		}
		var described struct {
			Info struct {
				Input struct {
					Method string
					Body   json.RawMessage
				}
			}
		}
		if err := json.Unmarshal(item.Extensions["bazaar"], &described); err != nil {
			t.Fatalf("%s: bazaar: %v", item.Resource, err)
		}
		input := described.Info.Input
		c := call{method: input.Method, url: strings.Replace(item.Resource, "{url}", "example.com", 1), body: string(input.Body)}
		challenged := c.with("Content-Type", "application/json").do(t)
		challenged.wantStatus(t, http.StatusPaymentRequired)
		header := challenged.header.Get("PAYMENT-REQUIRED")
		raw, err := base64.StdEncoding.DecodeString(header)
		if err != nil || len(header) > x402.ChallengeBytesMax {
			t.Fatalf("%s: challenge of %d bytes, error %v", item.Resource, len(header), err)
		}
		if len(challenged.body) > 6<<10 {
			t.Errorf("%s: got a body of %d bytes, want at most 6 KiB", item.Resource, len(challenged.body))
		}
		var challenge struct {
			Accepts    []any
			Extensions map[string]json.RawMessage
		}
		if err := json.Unmarshal(raw, &challenge); err != nil {
			t.Fatal(err)
		}
		if len(challenge.Accepts) == 0 || !quoted && !reflect.DeepEqual(challenge.Accepts, item.Accepts) {
			t.Errorf("%s: listed %v, challenged %v", item.Resource, item.Accepts, challenge.Accepts)
		}
		if challenge.Extensions["bazaar"] == nil {
			t.Errorf("%s: the challenge does not describe its request", item.Resource)
		}
	}
}

// unpaidCall returns the ways to pay that an MCP server names to a call without a payment.
func unpaidCall(t *testing.T, server, tool string) []any {
	t.Helper()
	got := call{url: server, body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`}.
		with("Content-Type", "application/json", "Accept", "application/json, text/event-stream").do(t)
	got.wantStatus(t, http.StatusOK)
	var message struct {
		Result struct {
			IsError           bool `json:"isError"`
			StructuredContent struct {
				Accepts []any `json:"accepts"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(got.body, &message); err != nil || !message.Result.IsError {
		t.Fatalf("tool %s: got %s, want a result that requires a payment", tool, got.body)
	}
	return message.Result.StructuredContent.Accepts
}

// wantGolden compares the document with testdata, ignoring what differs from run to run.
func wantGolden(t *testing.T, s *stack, body []byte) {
	t.Helper()
	var whole any
	if err := json.Unmarshal(body, &whole); err != nil {
		t.Fatal(err)
	}
	pretty, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(pretty), s.edge, "https://api.example.com") + "\n"
	text = regexp.MustCompile(`"lastUpdated": "[^"]*"`).ReplaceAllString(text, `"lastUpdated": "2026-01-01T00:00:00Z"`)
	golden := filepath.Join("testdata", "discovery.json")
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("got %s\nif this is meant, go test ./e2e -run TestDiscovery -update writes %s anew", text, golden)
	}
}
