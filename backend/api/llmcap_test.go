package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// reader is a model that always replies the same, and records its input.
type reader struct {
	mu    sync.Mutex
	asked []llm.Prompt
}

func (r *reader) Complete(_ context.Context, prompt llm.Prompt) (llm.Reply, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, prompt)
	return llm.Reply{Text: `{"title":"Harbour"}`, Model: "m"}, nil
}

// last is the estimated maximum of tokens of the last request.
func (r *reader) last() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	prompt := r.asked[len(r.asked)-1]
	return llm.EstimateTokens(prompt.System+prompt.User) + prompt.MaxTokens
}

// A wallet always pays 0.01 USD, so its use of a model has its own limit. The response says what was not read because
// of it, also when it is read again.
func TestAWalletsExtractionIsCapped(t *testing.T) {
	t.Parallel()
	model := &reader{}
	s := setup(t, options{scrapes: func(c *scrapes.Config) {
		c.Extractor = extraction.New(model, nil, extraction.Limits{}, slog.New(slog.DiscardHandler))
	}})
	site := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<title>T</title><h1>Harbour</h1>"+strings.Repeat("<p>The tide is high at noon and low at six.</p>\n", 5000))
	})
	body := bodyFor(site.URL, `"llm_extract":{"prompt":"the title"}`)
	for _, tt := range []struct {
		name            string
		path            string
		pays, reads     *edgewire.Identity
		least, most     int // tokens of a request
		tokensMax, page int
	}{
		{"a wallet", "/x402/v1/scrapes", walletPays(walletA, 10_000), nobody(), 6_000, 8_100, 16_000, 50_000},
		{"a team", "/v1/scrapes", teamPays(s.team, 20), teamPays(s.team, 0), 20_000, 25_000, 100_000, 50_000},
	} {
		scrape := decoded[scrapes.Scrape](t, s.post(tt.pays, tt.path, body))
		if got := model.last(); got < tt.least || got > tt.most {
			t.Errorf("%s: got %d tokens in a request, want %d to %d", tt.name, got, tt.least, tt.most)
		}
		read := scrape.Result.PageMetadata.LLMExtract
		if read == nil || !read.Truncated || read.TokensMax != tt.tokensMax || read.PageTokens < tt.page || read.ContentLeftOut < read.PageTokens-tt.most {
			t.Errorf("%s: got %+v, want what was left out", tt.name, read)
		}
		kept := decoded[scrapes.Scrape](t, s.get(tt.reads, "/v1/scrapes/"+scrape.ID)).Result.PageMetadata.LLMExtract
		if kept == nil || read == nil || *kept != *read {
			t.Errorf("%s: got %+v when it is read again, want %+v", tt.name, kept, read)
		}
	}
	hits := site.hits.Load()
	long := `{"schema":{"type":"object","properties":{"a":{"type":"string","description":"` + strings.Repeat("word ", 4_000) + `"}}}}`
	body = bodyFor(site.URL, `"llm_extract":`+long)
	e := wantError(t, s.post(walletPays(walletA, 10_000), "/x402/v1/scrapes", body), problem.ValidationError)
	if said, err := json.Marshal(e); err != nil || !strings.Contains(string(said), "16000 tokens") || !strings.Contains(string(said), "use an API key") || site.hits.Load() != hits {
		t.Errorf("got %s, want that the schema is too long for a wallet, before anything is fetched", said)
	}
	wantStatus(t, s.post(teamPays(s.team, 20), "/v1/scrapes", body), http.StatusOK)
}
