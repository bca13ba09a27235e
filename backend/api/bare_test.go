package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	webpage "github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

const linkedPage = `<!doctype html><title>Tolls</title><link rel=canonical href="/tolls"><meta name=robots content=nofollow>
<h1>All tolls</h1><p>Read <a rel=nofollow href="charter">the charter</a> of the bridge before you cross it, and pay at the gate, please.</p>`

func serveSite(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/moved":
		http.Redirect(w, r, "/page", http.StatusFound)
	case "/missing":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, linkedPage)
	case "/feed":
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>News</title><item><title>One</title><link>http://site.example/one</link></item></channel></rss>`)
	default:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, linkedPage)
	}
}

// A job with Links returns the page's facts and links. So does a bare job, but it stores nothing.
func TestKeepLinks(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	site := newTarget(t, serveSite)
	var full, bare webpage.Kept
	for _, kept := range []*webpage.Kept{&full, &bare} {
		job := s.job(site.URL+"/moved", webpage.Options{Formats: []webpage.Format{webpage.FormatText}})
		job.Links, job.Bare = true, kept == &bare
		var err error
		*kept, err = s.scrapes.Engine().Keep(t.Context(), job)
		must(t, err)
		if kept.FinalURL != site.URL+"/page" || kept.MediaType != "text/html" || kept.Canonical != site.URL+"/tolls" || !kept.NoFollow ||
			kept.Heading != "All tolls" || kept.Title != "Tolls" || kept.Simhash == 0 || kept.ContentKey == [16]byte{} {
			t.Errorf("got %+v", kept)
		}
		if len(kept.Links) != 1 || kept.Links[0].URL != site.URL+"/charter" || kept.Links[0].Text != "the charter" || !kept.Links[0].NoFollow ||
			kept.Links[0].Heading != "All tolls" || !strings.HasPrefix(kept.Links[0].Around, "Read the charter") {
			t.Errorf("got %+v", kept.Links)
		}
	}
	if full.Bytes == 0 || bare.Bytes != 0 || full.ContentKey != bare.ContentKey {
		t.Errorf("got %d and %d bytes, keys %x and %x", full.Bytes, bare.Bytes, full.ContentKey, bare.ContentKey)
	}
}

func TestKeepLinksOfOthers(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	site := newTarget(t, serveSite)
	keep := func(path string, links bool) webpage.Kept {
		job := s.job(site.URL+path, webpage.Options{})
		job.Links, job.Bare = links, true
		kept, err := s.scrapes.Engine().Keep(t.Context(), job)
		must(t, err)
		return kept
	}
	if got := keep("/missing", true); got.StatusCode != http.StatusNotFound || len(got.Links) != 0 || got.Simhash == 0 {
		t.Errorf("got %+v, want no links of a page that is not there", got)
	}
	if got := keep("/feed", true); len(got.Links) != 1 || got.Links[0].URL != "http://site.example/one" {
		t.Errorf("got %+v, want the feed's entry", got)
	}
	if got := keep("/page", false); got.Links != nil || got.FinalURL != "" {
		t.Errorf("got %+v, want nothing that was not asked for", got)
	}
}

func TestScoresOfLinks(t *testing.T) {
	t.Parallel()
	scores, err := scrapes.ScoreLinks(t.Context(), []webpage.Link{{URL: "https://a.example/x", Around: "the ferry"}, {URL: "https://a.example/y"}}, "ferry")
	if err != nil || len(scores) != 2 || scores[0] <= 0 || scores[1] != 0 {
		t.Errorf("got %v, %v", scores, err)
	}
}
