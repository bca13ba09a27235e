//go:build interop

package interop

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// archived is a WARC record as another reader sees it.
type archived struct {
	Version, Type, Target, RecordID, ConcurrentTo, Digest, MediaType string
	Status                                                           int
	// Sent is the SHA-256 of the payload as that reader sees it.
	Sent string
}

// recordedSite has pages in several encodings, and a redirect.
func recordedSite(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			_, _ = io.WriteString(w, `<title>Start</title><main><h1>Start</h1><p>The first page.</p><a href="/zip">zip</a> <a href="/latin">latin</a> <a href="/moved">moved</a></main>`)
		case "/zip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, "<title>Zip</title><main><h1>Zip</h1><p>Compressed “text”.</p></main>")
			_ = z.Close()
		case "/latin":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			_, _ = io.WriteString(w, "<title>Caf\xe9</title><main><h1>Caf\xe9</h1><p>Th\xe9.</p></main>")
		case "/moved":
			http.Redirect(w, r, "/long", http.StatusFound)
		case "/long":
			for i := range 20_000 { // large, so sent in chunks
				_, _ = fmt.Fprintf(w, "<p>Line %d</p>\n", i)
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func turnpike(t *testing.T, binary string, args ...string) string {
	t.Helper()
	var out, said bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("turnpike %s: %v\n%s", strings.Join(args, " "), err, &said)
	}
	return out.String()
}

// TestStockWARC shows that warcio reads our WARC files as we do, and that we read those of warcio and Wget.
func TestStockWARC(t *testing.T) {
	t.Parallel()
	binary, err := rig.Build(t.Context(), t.TempDir(), rig.Turnpike)
	if err != nil {
		t.Fatal(err)
	}
	site := recordedSite(t)
	dir := t.TempDir()
	warcio := startProgram(t, "archives/warcio.mjs")

	t.Run("ours by warcio", func(t *testing.T) {
		_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
		file := filepath.Join(dir, "ours.warc.gz")
		get := []string{"warc", "get", "-o", file, "--allow-private", "127.0.0.0/8", "--allow-port", port}
		for _, path := range []string{"/", "/zip", "/latin", "/moved", "/nothing"} {
			get = append(get, site.URL+path)
		}
		turnpike(t, binary, get...)
		var answer struct{ Records []archived }
		if err := warcio.ask(t.Context(), map[string]any{"file": file}, &answer); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"warcinfo 0 ", "response 200 /", "request 0 /", "response 200 /zip", "request 0 /zip", "response 200 /latin", "request 0 /latin",
			"response 302 /moved", "request 0 /moved", "response 200 /long", "request 0 /long", "response 404 /nothing", "request 0 /nothing",
		}
		var got []string
		last := ""
		for _, r := range answer.Records {
			if r.Type == "request" {
				r.Status = 0 // requests have no status; the reader guesses one
			}
			got = append(got, fmt.Sprintf("%s %d %s", r.Type, r.Status, strings.TrimPrefix(r.Target, site.URL)))
			if r.Version != "WARC/1.1" {
				t.Errorf("%s of %s: got version %s", r.Type, r.Target, r.Version)
			}
			if r.Type == "request" && r.ConcurrentTo != last {
				t.Errorf("request of %s: got it concurrent to %s, want %s", r.Target, r.ConcurrentTo, last)
			}
			last = r.RecordID
			if r.Type == "warcinfo" {
				continue
			}
			digest, err := base32.StdEncoding.DecodeString(strings.TrimPrefix(r.Digest, "sha256:"))
			if err != nil || hex.EncodeToString(digest) != r.Sent {
				t.Errorf("%s of %s: got a payload of %s, want %s (%v)", r.Type, r.Target, r.Sent, r.Digest, err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})

	t.Run("warcio's by us", func(t *testing.T) {
		file := filepath.Join(dir, "theirs.warc.gz")
		for i := range 3 {
			order := map[string]any{
				"file": file, "url": fmt.Sprintf("https://example.com/%d", i),
				"html": fmt.Sprintf("<title>Page %[1]d</title><main><h1>Page %[1]d</h1><p>Written by another.</p></main>", i),
			}
			var answer struct{ Error string }
			if err := warcio.ask(t.Context(), order, &answer); err != nil || answer.Error != "" {
				t.Fatal(err, answer.Error)
			}
		}
		wantRead(t, binary, file, "https://example.com/0 # Page 0", "https://example.com/1 # Page 1", "https://example.com/2 # Page 2")
	})

	t.Run("Wget's by us", func(t *testing.T) {
		wget, err := exec.LookPath("wget")
		if err != nil {
			t.Skip("there is no wget on this machine")
		}
		for _, compressed := range []string{"--warc-compression", "--no-warc-compression"} {
			file := filepath.Join(dir, "wget"+compressed)
			cmd := exec.Command(wget, "--no-proxy", "--no-verbose", "--recursive", "--level=2", "--delete-after", "--warc-file="+file, compressed, site.URL+"/")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 8 { // 8: a server error response, here the missing robots.txt
				t.Fatalf("wget: %v\n%s", err, out)
			}
			if _, err := os.Stat(file + ".warc.gz"); err == nil {
				file += ".warc.gz"
			} else {
				file += ".warc"
			}
			wantRead(t, binary, file, site.URL+"/ # Start", site.URL+"/latin # Café", site.URL+"/long ", site.URL+"/zip # Zip")
		}
	})
}

// wantRead wants a file without faults, with pages that have these URLs and first lines of Markdown.
func wantRead(t *testing.T, binary, file string, want ...string) {
	t.Helper()
	if out := turnpike(t, binary, "warc", "verify", file); !strings.Contains(out, " 0 faults") || strings.Contains(out, " 0 digests") {
		t.Errorf("verify: got %s, want digests and no faults", out)
	}
	var got []string
	lines := json.NewDecoder(strings.NewReader(turnpike(t, binary, "warc", "extract", file)))
	for {
		var page struct {
			URL      string `json:"url"`
			Markdown string `json:"markdown"`
		}
		if err := lines.Decode(&page); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(page.Markdown, "\n")
		if !strings.HasPrefix(first, "#") {
			first = ""
		}
		got = append(got, page.URL+" "+first)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("extract: got %q, want %q", got, want)
	}
}
