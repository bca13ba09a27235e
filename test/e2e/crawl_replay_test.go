//go:build linux

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/warc"
)

// replayLimit is far above what a crawl of a dozen pages takes.
const replayLimit = time.Minute

// quirks is a small site with what crawls meet: charsets, compression, redirects with cookies, missing and duplicate
// pages, and paths that robots.txt disallows.
type quirks struct {
	shelf
	*httptest.Server

	asked atomic.Int64
}

func newQuirks(t *testing.T) *quirks {
	t.Helper()
	q := &quirks{}
	q.Server = httptest.NewServer(http.HandlerFunc(q.serve))
	t.Cleanup(q.Close)
	q.url = q.URL
	_, q.port, _ = net.SplitHostPort(q.Listener.Addr().String())
	return q
}

func (q *quirks) serve(w http.ResponseWriter, r *http.Request) {
	q.asked.Add(1)
	page := func(to io.Writer, title, text string, links ...string) {
		_, _ = fmt.Fprintf(to, "<!doctype html><title>%[1]s</title><main><h1>%[1]s</h1><p>%[2]s There is enough of it to be told from other pages.</p>", title, text)
		for _, link := range links {
			_, _ = fmt.Fprintf(to, "<p><a href=%q>To %s</a></p>", link, link)
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/robots.txt":
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /private\n")
	case "/":
		page(w, "Quirks", "All that is odd.", "/latin", "/zip", "/moved", "/gone", "/twin-a", "/twin-b", "/text", "/deep/1", "/private/x")
	case "/latin":
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		page(w, "Caf\xe9", "Th\xe9, caf\xe9 et p\xe2tisseries.")
	case "/zip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		page(z, "Zip", "This came “compressed”.", "/")
		_ = z.Close()
	case "/moved":
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		http.Redirect(w, r, "/here?by=redirect", http.StatusFound)
	case "/here":
		page(w, "Here", "This is where it moved to, with "+r.Header.Get("Cookie")+".")
	case "/twin-a", "/twin-b":
		page(w, "Twin", "One looks like the other, word for word, and so there is one page.")
	case "/text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		for i := range 20_000 { // sent in chunks
			_, _ = fmt.Fprintf(w, "line %d of a long text\n", i)
		}
	case "/deep/1":
		page(w, "Deep", "The first step down.", "/deep/2")
	case "/deep/2":
		page(w, "Deeper", "The second step down, and no further.")
	default:
		w.WriteHeader(http.StatusNotFound)
		page(w, "Nothing", "There is nothing here.")
	}
}

// crawledAll returns the pages of a crawl by URL, with everything that is stored about them.
func (c *crew) crawledAll(t *testing.T, p *purse, id string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, page := range c.listed(t, p, id) {
		var content struct {
			HTML     *string `json:"html_content"`
			Markdown *string `json:"markdown_content"`
			Metadata struct {
				StatusCode int    `json:"status_code"`
				Title      string `json:"title"`
			} `json:"page_metadata"`
		}
		if err := c.read(t.Context(), p, "/v1/retrieve?retrieve_id="+page.RetrieveID, &content); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(map[string]any{"depth": page.Depth, "content": content})
		if err != nil {
			t.Fatal(err)
		}
		all[page.URL] = string(text)
	}
	return all
}

// recordOf downloads the WARC of a crawl.
func (c *crew) recordOf(t *testing.T, p *purse, id string) []byte {
	t.Helper()
	got := call{method: http.MethodGet, url: c.edge.URL("/v1/crawls/" + id + "/warc")}.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	if h := got.header; h.Get("Content-Type") != "application/warc" || h.Get("Content-Disposition") != `attachment; filename="`+id+`.warc.gz"` {
		t.Errorf("WARC of %s: got header %v, want an attachment", id, h)
	}
	return got.body
}

// responses returns the target URIs of the responses in a WARC file, in order.
func responses(t *testing.T, file []byte) (targets []string) {
	t.Helper()
	for record, err := range warc.Records(bytes.NewReader(file)) {
		if err != nil {
			t.Fatal(err)
		}
		if record.Type == warc.TypeResponse {
			targets = append(targets, record.TargetURI())
		}
	}
	return targets
}

// TestReplayOfACrawl repeats a recorded crawl from its WARC, without the site: same pages, same content, byte for byte.
func TestReplayOfACrawl(t *testing.T) {
	t.Parallel()
	site := newQuirks(t)
	live := newCrew(t, setup(t).withDatabase(t), &site.shelf, 1)
	p := live.purse(t, 100)
	options := map[string]any{"scrape_options": map[string]any{"formats": []string{"html", "markdown"}}, "record": true}
	body := crawlOf(site.url+"/", 30, options)
	made := live.awaitCrawl(t, p, live.crawl(t, p, body).ID, replayLimit, crawlEnded)
	bare := live.awaitCrawl(t, p, live.crawl(t, p, crawlOf(site.url+"/", 30, map[string]any{
		"scrape_options": map[string]any{"formats": []string{}}, "record": true,
	})).ID, replayLimit, crawlEnded)
	plain := live.awaitCrawl(t, p, live.crawl(t, p, crawlOf(site.url+"/deep/2", 1, nil)).ID, replayLimit, crawlEnded)
	want := live.crawledAll(t, p, made.ID)
	paths := slices.Sorted(maps.Keys(want))
	for i := range paths {
		paths[i] = strings.TrimPrefix(paths[i], site.url)
	}
	twins := 0
	paths = slices.DeleteFunc(paths, func(path string) bool {
		if strings.HasPrefix(path, "/twin-") { // the first one fetched is the page
			twins++
			return true
		}
		return false
	})
	pages := []string{"/", "/deep/1", "/deep/2", "/here?by=redirect", "/latin", "/text", "/zip"} // the target of a redirect is the page
	if !slices.Equal(paths, pages) || twins != 1 || made.Pages != 8 || made.Failed != 2 {
		t.Fatalf("crawl: got %+v of %v, want %v, with the gone and the private one failed", made, paths, pages)
	}

	file := live.recordOf(t, p, made.ID)
	got := responses(t, file)
	wantTargets := []string{site.url + "/", site.url + "/moved", site.url + "/here?by=redirect", site.url + "/gone", site.url + "/twin-a", site.url + "/twin-b"}
	for _, target := range wantTargets {
		if !slices.Contains(got, target) {
			t.Errorf("WARC: got %v, want %s in it", got, target)
		}
	}
	bares := responses(t, live.recordOf(t, p, bare.ID))
	slices.Sort(got)
	slices.Sort(bares)
	if !slices.Equal(got, bares) {
		t.Errorf("WARC of a crawl that keeps nothing: got %v, want %v", bares, got)
	}
	live.wantNoRecord(t, p, made, plain)

	path := filepath.Join(t.TempDir(), "crawl.warc.gz")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(live.binary, "warc", "verify", path).CombinedOutput(); err != nil || !strings.Contains(string(out), " 0 faults") {
		t.Errorf("turnpike warc verify: got %v, %s", err, out)
	}

	site.Close()
	asked := site.asked.Load()
	again := newCrewBy(t, setup(t).withDatabase(t), &site.shelf, 1, []string{"--replay", path})
	q := again.purse(t, 100)
	replayed := again.awaitCrawl(t, q, again.crawl(t, q, body).ID, replayLimit, crawlEnded)
	have := again.crawledAll(t, q, replayed.ID)
	one, other := twinsAsOne(have), twinsAsOne(want)
	for url, content := range other {
		if one[url] != content {
			t.Errorf("%s: got %.500s, want %.500s", url, one[url], content)
		}
	}
	if replayed.Pages != made.Pages || len(have) != len(want) || site.asked.Load() != asked {
		t.Errorf("replayed: got %+v and %d requests, want the same %d pages from the file", replayed, site.asked.Load()-asked, made.Pages)
	}
	second := responses(t, again.recordOf(t, q, replayed.ID))
	slices.Sort(second)
	if !slices.Equal(second, got) {
		t.Errorf("WARC of what was replayed: got %v, want %v", second, got)
	}
}

// wantNoRecord checks that nobody gets the WARC of a crawl without one, or of another team's crawl.
func (c *crew) wantNoRecord(t *testing.T, p *purse, made, plain crawl) {
	t.Helper()
	other := c.purse(t, 1)
	for _, tt := range []struct {
		name   string
		id     string
		header []string
		status int
		code   string
	}{
		{"not recorded", plain.ID, p.bearer(), http.StatusConflict, "invalid_state"},
		{"another team's", made.ID, other.bearer(), http.StatusNotFound, "crawl_not_found"},
		{"nobody's", made.ID, nil, http.StatusUnauthorized, "invalid_api_key"},
	} {
		got := call{method: http.MethodGet, url: c.edge.URL("/v1/crawls/" + tt.id + "/warc")}.with(tt.header...).do(t)
		if got.status != tt.status || !strings.Contains(string(got.body), tt.code) {
			t.Errorf("%s: got %d %s, want %d %s", tt.name, got.status, got.body, tt.status, tt.code)
		}
	}
}

// twinsAsOne gives both twins one name, because a crawl lists the one that it fetched first.
func twinsAsOne(pages map[string]string) map[string]string {
	one := func(s string) string { return strings.ReplaceAll(s, "/twin-b", "/twin-a") }
	out := map[string]string{}
	for url, content := range pages {
		out[one(url)] = one(content)
	}
	return out
}
