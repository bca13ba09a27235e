package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/warc"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// types are the types of a file's records, each checked against its digests.
func types(t *testing.T, file []byte) string {
	t.Helper()
	var got []string
	for record, err := range warc.Records(bytes.NewReader(file)) {
		must(t, err)
		if checked, err := record.Verify(); err != nil || checked == 0 {
			t.Errorf("%s: got %d digests and %v, want them right", record.Type, checked, err)
		}
		got = append(got, string(record.Type))
	}
	return strings.Join(got, " ")
}

// The record of a scrape is hosted, for wallets too, and is deleted with the content.
func TestScrapeRecord(t *testing.T) {
	t.Parallel()
	s, site := setup(t, options{}), newTarget(t, servePage)
	for _, name := range []string{"wallet", "team"} {
		id := teamPays(s.team, 1)
		if name == "wallet" {
			id = walletPays(walletA, 10_000)
		}
		got := decoded[scrapes.Scrape](t, s.scrape(id, bodyFor(site.URL+"/"+name, `"record":true`)))
		if got.Result.WARCHostedURL == nil {
			t.Fatalf("%s: got %+v, want a record", name, got.Result)
		}
		uri := strings.TrimPrefix(*got.Result.WARCHostedURL, publicURL)
		w := s.do(call{method: http.MethodGet, uri: uri})
		wantStatus(t, w, http.StatusOK)
		if h := w.Header(); h.Get("Content-Type") != "application/warc" || !strings.Contains(h.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: got %v, want an attachment of type application/warc", name, h)
		}
		if got := types(t, w.Body.Bytes()); got != "response request" {
			t.Errorf("%s: got records %q, want what was received and sent", name, got)
		}
		if name == "wallet" {
			continue
		}
		again := decoded[scrapes.Retrieved](t, s.get(teamPays(s.team, 0), s.retrieve(got.RetrieveID)))
		some := decoded[scrapes.Retrieved](t, s.get(teamPays(s.team, 0), s.retrieve(got.RetrieveID)+"&formats=html"))
		if again.WARCHostedURL == nil || some.WARCHostedURL != nil {
			t.Errorf("got %v of all and %v of some, want it of all alone", again.WARCHostedURL, some.WARCHostedURL)
		}
		s.clock.Advance(scrapes.RetentionDefault + time.Minute)
		late := decoded[scrapes.Scrape](t, s.get(teamPays(s.team, 0), "/v1/scrapes/"+got.ID))
		if late.Result.WARCHostedURL != nil {
			t.Errorf("after its time: got %s, want none", *late.Result.WARCHostedURL)
		}
		if _, err := s.scrapes.Purge(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		wantError(t, s.do(call{method: http.MethodGet, uri: uri}), problem.AccessDenied)
		if _, err := s.blobs.Read(t.Context(), "scrapes/"+got.RetrieveID+"/1/page.warc.gz"); err == nil {
			t.Error("the record is still there")
		}
	}
	without := decoded[scrapes.Scrape](t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL+"/without")))
	if without.Result.WARCHostedURL != nil {
		t.Error("got a record that was not asked for")
	}
}
