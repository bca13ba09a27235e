package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// The pages of the site that is crawled while the client is killed. SITE_PAGES changes it.
const sitePages = 2000

const (
	runTimeout  = 10 * time.Minute
	pollJournal = 5 * time.Millisecond
)

// program builds the client once, as it is distributed.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "turnpike-cli")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "turnpike-cli")
	cmd := exec.Command("go", "build", "-o", name, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, said)
	}
	return name, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

// live skips without the settings of a running development server, which make interop sets.
func live(t *testing.T) (site string) {
	t.Helper()
	for _, name := range []string{"TURNPIKE_URL", "TURNPIKE_KEY", "TURNPIKE_WALLET_KEY", "SITE"} {
		if os.Getenv(name) == "" {
			t.Skip("needs TURNPIKE_URL, TURNPIKE_KEY, TURNPIKE_WALLET_KEY and SITE, the page of a development server (make interop)")
		}
	}
	return os.Getenv("SITE")
}

// client prepares a run of the program.
func client(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), runTimeout)
	t.Cleanup(cancel)
	cmd, stdout, stderr = exec.CommandContext(ctx, name, args...), new(bytes.Buffer), new(bytes.Buffer)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, stdout, stderr, os.Environ()
	return cmd, stdout, stderr
}

// run runs the program to its end.
func run(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd, out, said := client(t, dir, args...)
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

func TestLiveVerbs(t *testing.T) {
	t.Parallel()
	site := live(t)
	for _, payer := range []string{"key", "wallet"} {
		t.Run(payer, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cost := "credits used: "
			use := func(stdout, stderr string, args ...string) {
				t.Helper()
				if payer == "wallet" {
					args = append(args, "--wallet")
				}
				code, out, said := run(t, dir, args...)
				if code != 0 || !strings.Contains(out, stdout) || !strings.Contains(said, stderr) {
					t.Errorf("%q: got %d\n%s\n%s\nwant %q and %q", args, code, out, said, stdout, stderr)
				}
			}
			if payer == "wallet" {
				cost = "paid 0.01 USDC, transaction 0x"
			}
			use("# How a toll road works", cost, "scrape", site)
			use(`"html_content": "<`, "", "scrape", site, "--formats", "html", "--as", "json")
			use("](http", "", "search", "toll road")
			use(`"title":`, "", "ask", "What is "+site+" about?", "--form", `{"title":""}`)
			use(site+"about", cost, "map", site)
			use(`"url":"`+site+`"`, "succeeded: 2 pages, 0 failed", "crawl", site, "--max-pages", "2")
			use(`"custom_id":"2"`, "succeeded: 2 items, 0 failed", "batch", site, site+"about")
			use(`"object": "crawl"`, "", "crawl", site, "--max-pages", "1", "--detach")
			use("", "", "scrape", site, "-o", "page.md")
			if page, err := os.ReadFile(filepath.Join(dir, "page.md")); err != nil || !strings.Contains(string(page), "# How a toll road works") {
				t.Errorf("page.md: got %q, %v", page, err)
			}
		})
	}
	t.Run("monitor", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		code, out, said := run(t, dir, "monitor", "create", "Tell me when the text of "+site+" changes", "--frequency", "every day at 9:00")
		var created struct{ ID, Status string }
		if err := json.Unmarshal([]byte(out), &created); err != nil || code != 0 || created.Status != "active" {
			t.Fatalf("create: got %d %s %s", code, out, said)
		}
		for _, tt := range []struct{ verb, want string }{
			{"get", created.ID}, {"run", "run_"}, {"events", ""}, {"pause", `"paused"`}, {"resume", `"active"`}, {"delete", created.ID},
		} {
			if code, out, said := run(t, dir, "monitor", tt.verb, created.ID); code != 0 || !strings.Contains(out, tt.want) {
				t.Errorf("%s: got %d %s %s, want %q", tt.verb, code, out, said, tt.want)
			}
		}
		if code, out, _ := run(t, dir, "monitor", "list"); code != 0 || strings.Contains(out, created.ID) {
			t.Errorf("list: got %d %s, want no deleted monitor", code, out)
		}
	})
}

func TestLiveRefusals(t *testing.T) {
	t.Parallel()
	site := live(t)
	for name, tt := range map[string]struct {
		code int
		args []string
		want string
	}{
		"a request that is not valid":  {exitUsage, []string{"scrape", "nowhere"}, "body.url_to_scrape"},
		"a key that is not valid":      {exitUnauthorized, []string{"scrape", site, "--key", "tp_none"}, "invalid_api_key"},
		"more than the limit":          {exitUnpaid, []string{"crawl", site, "--max-pages", "100", "--max-cost", "0.05"}, "it may cost 100 credits"},
		"more than the wallet's limit": {exitUnpaid, []string{"crawl", site, "--max-pages", "100", "--max-cost", "0.05", "--wallet", "-o", "pages.jsonl"}, "the price is 0.5 USDC"},
		"a limit for several calls":    {exitUnpaid, []string{"scrape", site, site, site, "--max-cost", "0.002"}, "and 0 are left"},
		"no such crawl":                {exitNotFound, []string{"crawl", "crawl_none", "-o", "pages.jsonl"}, "crawl_not_found"},
		"a job without a result":       {exitJob, []string{"batch", "http://127.0.0.1:1/"}, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			code, _, said := run(t, dir, tt.args...)
			if code != tt.code || !strings.Contains(said, tt.want) {
				t.Errorf("got %d %s, want %d %q", code, said, tt.code, tt.want)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("got %v left, %v", left, err)
			}
		})
	}
}

// A crawl is downloaded in each form by clients that are killed: no page is missing, none is there twice, and the crawl is
// paid for once.
func TestLiveKilledDownloads(t *testing.T) {
	t.Parallel()
	live(t)
	pages := sitePages
	if n, err := strconv.Atoi(os.Getenv("SITE_PAGES")); err == nil {
		pages = n
	}
	site := siteOf(t, pages)
	want := map[string]bool{}
	for n := range pages {
		want[fmt.Sprintf("%s/%d", site, n)] = true
	}
	dir := t.TempDir()
	crawl := []string{
		"crawl", site + "/0", "--max-pages", strconv.Itoa(pages), "--set", "record=true", "--robots=false",
		"--wallet", "--max-cost", strconv.Itoa(pages), "-o", "pages.jsonl",
	}
	said := killed(t, dir, pages, crawl)
	if n := strings.Count(said, "paid "); n != 1 {
		t.Errorf("got %d payments, want 1:\n%s", n, said)
	}
	id := regexp.MustCompile(`crawl_\w+`).FindString(said)
	for _, path := range []string{"pages.parquet", "folder", "pages.warc.gz"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			killed(t, dir, pages, []string{"crawl", id, "--wallet", "-o", path})
			compare(t, want, read(t, dir, path))
		})
	}
	compare(t, want, read(t, dir, "pages.jsonl"))
}

// siteOf serves a site of pages that link to the next ones.
func siteOf(t *testing.T, pages int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || n >= pages {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>Page %d</title><main><h1>Page %[1]d</h1><p>", n)
		for word := range 60 { // pages of a few equal words would be duplicates
			fmt.Fprintf(w, "word%x ", (n+1)*(word+7919)*2654435761%1000003)
		}
		for next := n*10 + 1; next <= n*10+10 && next < pages; next++ {
			fmt.Fprintf(w, `<a href="/%d">Page %[1]d</a> `, next)
		}
		fmt.Fprint(w, "</p></main>")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// killed runs the program until it succeeds. It is killed after a twentieth, a third and two thirds of the pages, and
// interrupted after five sixths. It returns what the program said.
func killed(t *testing.T, dir string, pages int, args []string) string {
	t.Helper()
	var said strings.Builder
	for _, at := range []int{pages / 20, pages / 3, pages * 2 / 3, pages * 5 / 6} {
		cmd, _, stderr := client(t, dir, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if !reached(t, filepath.Join(dir, args[len(args)-1]), at, ended) {
			t.Fatalf("the client ended before it had %d pages:\n%s", at, stderr)
		}
		signal := syscall.SIGKILL
		if at == pages*5/6 {
			signal = syscall.SIGINT
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		<-ended
		if signal == syscall.SIGINT && (cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(stderr.String(), "run the same command again")) {
			t.Errorf("interrupted: got %d %s", cmd.ProcessState.ExitCode(), stderr)
		}
		said.WriteString(stderr.String())
	}
	code, _, last := run(t, dir, args...)
	if code != 0 || !strings.Contains(last, "continuing") || !strings.Contains(last, fmt.Sprintf("succeeded: %d pages, 0 failed", pages)) {
		t.Fatalf("got %d %s", code, last)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, args[len(args)-1]) + ".*"); len(left) > 0 {
		t.Errorf("got %v left", left)
	}
	return said.String() + last
}

// reached waits until a download's journal has so many pages. It returns false if the program ends before that.
func reached(t *testing.T, path string, pages int, ended <-chan error) bool {
	t.Helper()
	journal := path + ".journal"
	if filepath.Ext(path) == "" {
		journal = filepath.Join(path, "index.jsonl.journal")
	}
	look := time.NewTicker(pollJournal)
	defer look.Stop()
	for {
		select {
		case <-ended:
			return false
		case <-look.C:
			if text, err := os.ReadFile(journal); err == nil && bytes.Count(text, []byte(`{"page":`)) >= pages {
				return true
			}
		}
	}
}

// read returns the URLs of a download, and checks that each has the content of its page.
func read(t *testing.T, dir, path string) (urls []string) {
	t.Helper()
	name := filepath.Join(dir, path)
	var rows []record
	var err error
	switch path {
	case "pages.parquet":
		rows, err = parquet.ReadFile[record](name)
	case "pages.warc.gz":
		return readWARC(t, name)
	case "folder":
		rows = readLines(t, filepath.Join(name, "index.jsonl"))
		for i := range rows {
			content, err := os.ReadFile(filepath.Join(name, filepath.FromSlash(rows[i].Files["markdown"])))
			if err != nil {
				t.Fatal(err)
			}
			rows[i].Markdown = string(content)
		}
	default:
		rows = readLines(t, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		urls = append(urls, r.URL)
		if want := "# Page " + r.URL[strings.LastIndexByte(r.URL, '/')+1:] + "\n"; !strings.HasPrefix(r.Markdown, want) {
			t.Fatalf("%s: got %q, want %q", r.URL, r.Markdown, want)
		}
	}
	return urls
}

func readLines(t *testing.T, name string) (rows []record) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, r)
	}
	return rows
}

// readWARC returns the URLs of the responses in a WARC file.
func readWARC(t *testing.T, name string) (urls []string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	members, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(members)
	if err != nil {
		t.Fatal(err)
	}
	for header := range strings.SplitSeq(string(text), "WARC/1.1\r\n") {
		header, _, _ = strings.Cut(header, "\r\n\r\n")
		if m := regexp.MustCompile(`(?m)^WARC-Target-URI: (\S+)`).FindStringSubmatch(header); m != nil && strings.Contains(header, "WARC-Type: response") {
			urls = append(urls, m[1])
		}
	}
	return urls
}

// compare checks that each wanted URL is there once.
func compare(t *testing.T, want map[string]bool, urls []string) {
	t.Helper()
	missing := maps.Clone(want)
	for _, u := range urls {
		if !missing[u] {
			t.Errorf("got %s twice, or not of the site", u)
		}
		delete(missing, u)
	}
	if len(missing) > 0 {
		t.Errorf("got %d pages, want %d: %v are missing", len(urls), len(want), slices.Sorted(maps.Keys(missing))[:min(len(missing), 10)])
	}
}
