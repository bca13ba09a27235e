package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// service is a double with a crawl of two pages.
type service struct {
	mu   sync.Mutex
	keys []string // of the requests that create
	lose bool     // the response to them
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.Method + " " + r.URL.Path; {
	case path == "POST /v1/crawls":
		s.mu.Lock()
		s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
		lose := s.lose
		s.mu.Unlock()
		if lose {
			panic(http.ErrAbortHandler)
		}
		fallthrough
	case path == "GET /v1/crawls/crawl_1":
		fmt.Fprint(w, `{"id":"crawl_1","max_pages":2,"status":"completed","outcome":"succeeded"}`)
	case strings.HasSuffix(path, "/pages"):
		fmt.Fprint(w, `{"data":[{"id":"a","url":"https://x.example/A/../b?q=1","retrieve_id":"ra"},{"id":"b","url":"https://x.example/a/%2e%2e/B?q=1","retrieve_id":"rb"}],"pages":[],"next_cursor":null}`)
	case path == "GET /v1/retrieve":
		fmt.Fprintf(w, `{"markdown_content":"# %s","html_content":null}`, r.URL.Query().Get("retrieve_id"))
	}
}

// use runs a command in the process, as a user does.
func use(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := command()
	var out, said bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&said)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), said.String(), err
}

// A client that is killed while it creates a job asks again with the same key, so that the job is paid for once.
func TestALostCreationIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := &service{lose: true}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	args := []string{"crawl", "https://x.example/", "-o", path, "--url", server.URL, "--key", "tp_x"}
	if _, _, err := use(t, args...); err == nil {
		t.Fatal("got no error")
	}
	s.mu.Lock()
	s.lose = false
	s.mu.Unlock()
	if _, _, err := use(t, append(args, "--max-pages", "7")...); err == nil || exitCode(t.Context(), err) != exitUsage || !strings.Contains(err.Error(), "unfinished download") {
		t.Errorf("another request: got %v", err)
	}
	if _, said, err := use(t, args...); err != nil {
		t.Fatalf("got %v %s", err, said)
	}
	for _, key := range s.keys {
		if key == "" || key != s.keys[0] {
			t.Errorf("got keys %q, want the same", s.keys)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("\n")) != 2 {
		t.Errorf("got %s, %v", text, err)
	}
	if _, _, err := use(t, args...); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a finished download: got %v", err)
	}
}

// Whatever a killed client leaves after its last entry in the journal is cut off.
func TestResumeCutsOffWhatWasBeingWritten(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&service{})
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	first, err := json.Marshal(record{ID: "a", URL: "https://x.example/", Markdown: "# ra"})
	if err != nil {
		t.Fatal(err)
	}
	begun, _ := json.Marshal(step{Started: &started{Server: server.URL, Kind: "crawl", Argument: "crawl_1", ID: "crawl_1"}})
	journal := fmt.Sprintf("%s\n{\"page\":\"a\",\"end\":%d}\n{\"page\":\"b\",\"en", begun, len(first)+1)
	for name, content := range map[string]string{path + ".part": string(first) + "\n" + `{"id":"b","mark`, path + ".journal": journal} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, said, err := use(t, "crawl", "crawl_1", "-o", path, "--url", server.URL, "--key", "tp_x"); err != nil || !strings.Contains(said, "has 1 pages; continuing") {
		t.Fatalf("got %v %s", err, said)
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, append(first, '\n')) || bytes.Count(text, []byte("\n")) != 2 || !bytes.Contains(text, []byte(`"# rb"`)) {
		t.Errorf("got %s, %v", text, err)
	}
}

// Names of files follow from URLs, but never lead out of the folder, and differ even where the case is ignored.
func TestFolder(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&service{})
	t.Cleanup(server.Close)
	dir := t.TempDir()
	if _, said, err := use(t, "crawl", "crawl_1", "-o", filepath.Join(dir, "out"), "--url", server.URL, "--key", "tp_x"); err != nil {
		t.Fatalf("got %v %s", err, said)
	}
	names := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names[strings.ToLower(strings.TrimPrefix(path, dir))] = true
		}
		return err
	})
	if err != nil || len(names) != 3 {
		t.Errorf("got %v, %v, want two pages and an index", names, err)
	}
	for name := range names {
		if !strings.HasPrefix(filepath.ToSlash(name), "/out/") {
			t.Errorf("got %s, want only files in the folder", name)
		}
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"defaults":     {nil, `{"max_pages":100,"follow_robots_txt":true,"scrape_options":{"formats":["markdown"]}}`},
		"flags":        {[]string{"--max-depth", "0", "--include", "/a/**,/b", "--robots=false"}, `{"max_depth":0,"include_urls":["/a/**","/b"],"follow_robots_txt":false}`},
		"other fields": {[]string{"--set", "scrape_options.remove_images=true", "--set", `metadata={"a":"b"}`}, `{"scrape_options":{"remove_images":true,"formats":["markdown"]},"metadata":{"a":"b"}}`},
		"unknown":      {[]string{"--set", "nope=1"}, `unknown field "nope"`},
		"no JSON":      {[]string{"--set", "webhook=x"}, "want name=JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []byte
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ = io.ReadAll(r.Body)
				w.WriteHeader(http.StatusBadRequest)
			}))
			t.Cleanup(server.Close)
			_, _, err := use(t, append([]string{"crawl", "https://x.example/", "--url", server.URL, "--key", "tp_x"}, tt.args...)...)
			if code := exitCode(t.Context(), err); code != exitUsage {
				t.Errorf("got %d, %v", code, err)
			}
			if !strings.HasPrefix(tt.want, "{") {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %s", err, tt.want)
				}
				return
			}
			var got, want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(sent, &got); err != nil {
				t.Fatalf("%s: %v", sent, err)
			}
			for field, value := range want {
				a, _ := json.Marshal(got[field])
				if b, _ := json.Marshal(value); !bytes.Equal(a, b) {
					t.Errorf("%s: got %s, want %s", field, a, b)
				}
			}
		})
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	items, err := itemsOf(strings.NewReader("https://a.example/\n\n# a comment\n{\"url\":\"https://b.example/\",\"custom_id\":\"b\"}\n"), []string{"-"})
	if err != nil || len(items) != 2 || items[0].URL != "https://a.example/" || items[1].CustomID != "b" {
		t.Errorf("got %+v, %v", items, err)
	}
	if _, err := itemsOf(strings.NewReader("{nope\n"), []string{"-"}); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("got %v", err)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": toStdout, "a.jsonl": toJSONL, "a.parquet": toParquet, "a.warc": toWARC, "a.warc.gz": toWARC, "a": toFolder, "a/": toFolder, "a.csv": "", "a.gz": "",
	} {
		if got, err := formOf(path); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v, want %q", path, got, err, want)
		}
	}
}
