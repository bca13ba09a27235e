package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const fareSchema = `{"type": "object", "properties": {"title": {"type": "string"}}}`

// TestExtractionIsCharged shows that an extraction is held and charged at its own price, and that a failed one is free.
func TestExtractionIsCharged(t *testing.T) {
	t.Parallel()
	s := setup(t)
	extraction := func(page, schema string) call {
		return call{url: s.edge + "/v1/scrapes", body: fmt.Sprintf(`{"url_to_scrape": %q, "formats": ["text"], "llm_extract": {"schema": %s}}`, page, schema)}
	}
	p := s.purse(t, 25)
	got := extraction(s.pages.fresh(), fareSchema).with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	var scrape scrapeObject
	got.json(t, &scrape)
	if said(scrape.Result.JSON) != `{"title":"Harbour"}` || scrape.CreditsConsumed != "20" {
		t.Errorf("got %q for %s credits, want the title for 20", said(scrape.Result.JSON), scrape.CreditsConsumed)
	}
	p.wantSpent(t, 20)

	page := s.pages.fresh()
	short := extraction(page, fareSchema).with(p.bearer()...).do(t)
	short.wantStatus(t, http.StatusPaymentRequired)
	s.pages.wantFetched(t, page, 0)
	p.wantSpent(t, 20)

	rich := s.purse(t, 45) // the hold of a refused request may last a moment longer
	refused := extraction(s.pages.fresh(), `{"type": "array"}`).with(rich.bearer()...).do(t)
	refused.wantStatus(t, http.StatusBadRequest)
	if !strings.Contains(string(refused.body), `"llm_extract"`) {
		t.Errorf("got %s, want where the fault is", refused.body)
	}
	gone := extraction(s.pages.fresh()+"?hang", fareSchema).with(rich.bearer()...).do(t)
	gone.wantStatus(t, http.StatusBadGateway)
	rich.wantUntouched(t)
}
