package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWARC(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/from":
			http.Redirect(w, r, "/to", http.StatusFound)
		case "/to":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			fmt.Fprint(w, "<title>Caf\xe9</title><h1>Caf\xe9</h1><p>Open <a href=/hours>at nine</a>.</p>")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(site.Close)
	port := site.URL[strings.LastIndexByte(site.URL, ':')+1:]
	file := filepath.Join(c.Dir, "site.warc.gz")
	reach := []string{"--allow-private", "127.0.0.0/8", "--allow-port", port}
	got := c.Turnpike(t, append([]string{"warc", "get", site.URL + "/from", site.URL + "/none", "-o", file}, reach...)...)
	if got.Code != 0 || !strings.Contains(got.Stderr, "200 "+site.URL+"/to") || !strings.Contains(got.Stderr, "404 ") {
		t.Fatalf("get: got %d %q", got.Code, got.Stderr)
	}
	site.Close()

	got = c.Turnpike(t, "warc", "list", file)
	for _, want := range []string{"\t302\t", "\t200\ttext/html\t" + site.URL + "/to\n", "\t404\t"} {
		if got.Code != 0 || !strings.Contains(got.Stdout, want) {
			t.Errorf("list: got %d %q %q, want %q", got.Code, got.Stdout, got.Stderr, want)
		}
	}
	if got = c.Turnpike(t, "warc", "verify", file); got.Code != 0 || got.Stdout != "7 records, 13 digests, 0 faults\n" {
		t.Errorf("verify: got %d %q %q", got.Code, got.Stdout, got.Stderr)
	}
	got = c.Turnpike(t, "warc", "extract", file)
	if want := `{"url":"` + site.URL + `/to","status_code":200,"title":"Café","markdown":"# Café\n\nOpen [at nine](` + site.URL + `/hours)."}` + "\n"; got.Code != 0 || got.Stdout != want {
		t.Errorf("extract: got %d %q %q, want %q", got.Code, got.Stdout, got.Stderr, want)
	}

	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".cut", whole[:len(whole)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	if got = c.Turnpike(t, "warc", "verify", file+".cut"); got.Code != 1 || !strings.Contains(got.Stdout, "1 faults") || !strings.Contains(got.Stderr, "at byte") {
		t.Errorf("verify what is cut: got %d %q %q", got.Code, got.Stdout, got.Stderr)
	}
	if err := os.WriteFile(file+".arc", []byte("filedesc://a.arc 0.0.0.0 20240101000000 text/plain 76\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.refuses(t, []wrong{
		{"no file", []string{"warc", "list", file + ".none"}, "no such file"},
		{"another format", []string{"warc", "extract", file + ".arc"}, "is an ARC file"},
		{"another format replayed", []string{"warc", "verify", file + ".arc"}, "is an ARC file"},
		{"no format", []string{"warc", "extract", file, "--formats", "pdf"}, "want markdown, text or html"},
		{"no URL", []string{"warc", "get", "nowhere"}, "nowhere"},
		{"nothing asked for", []string{"warc", "get"}, "requires at least 1 arg"},
	})
}
