package webhooks_test

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func receive(secret string, seen func(id string) bool) http.HandlerFunc {
	verifier, err := standardwebhooks.NewWebhook(secret) // whsec_…, of GET /v1/webhooks/secret
	if err != nil {
		log.Fatal(err)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || verifier.Verify(body, r.Header) != nil {
			http.Error(w, "not signed by Turnpike", http.StatusUnauthorized)
			return
		}
		var event struct {
			ID, Object string
			Data       json.RawMessage
		}
		if err := json.Unmarshal(body, &event); err != nil || seen(event.ID) {
			return // nothing to do, or done before: 200, or it comes again
		}
		log.Printf("%s: %s", event.Object, event.Data)
	}
}

// This is the example of the docs. It accepts real deliveries and nothing else.
func TestDocumentedReceiver(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("example_test.go")
	must(t, err)
	page, err := os.ReadFile("../../docs/webhooks.md")
	must(t, err)
	_, function, _ := strings.Cut(string(source), "func receive(")
	function, _, _ = strings.Cut(function, "\n}\n")
	if !strings.Contains(string(page), function) {
		t.Errorf("docs/webhooks.md: want func receive as it is in example_test.go")
	}

	p := setup(t, options{})
	var ids []string
	good := receive(p.secret(team), func(id string) bool {
		ids = append(ids, id)
		return false
	})
	bad := receive(p.secret("team_b"), func(string) bool {
		t.Error("got a webhook of another team past the check")
		return true
	})
	r := newUnstarted(t, nil)
	r.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/good" {
			good(w, request)
			return
		}
		bad(w, request)
	})
	r.Start()
	p.tell(team, r.URL+"/good", 1)
	p.tell(team, r.URL+"/bad", 2)
	p.ended()
	for _, d := range p.list(team) {
		want := map[string]string{"/good": "delivered", "/bad": "failed"}[strings.TrimPrefix(d.URL, r.URL)]
		if d.Status != want {
			t.Errorf("%s: got %s by %v, want %s", d.URL, d.Status, outcomes(d), want)
		}
	}
	if len(ids) != 1 {
		t.Errorf("got %d events past the check, want one", len(ids))
	}
}
