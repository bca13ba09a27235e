package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers/agent"
	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/llm/llmdouble"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// world is a site that is reached over HTTP, and an attacker whose server must never be reached.
type world struct {
	t       testing.TB
	site    *httptest.Server
	results []websearch.Result
	given   []*ask.Source

	mu               sync.Mutex
	opened, searched []string
}

func newWorld(t testing.TB, pages map[string]string) *world {
	t.Helper()
	w := &world{t: t}
	w.site = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.RequestURI()]
		if !ok {
			http.NotFound(out, r)
			return
		}
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(out, strings.ReplaceAll(page, "SITE", w.site.URL))
	}))
	t.Cleanup(w.site.Close)
	w.results = []websearch.Result{{URL: w.site.URL + "/lamp", Title: "Harbour Lamp", Snippet: "A lamp for harbours."}}
	return w
}

func (w *world) Search(_ context.Context, text string, limit int) ([]websearch.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.searched = append(w.searched, text)
	return w.results[:min(limit, len(w.results))], nil
}

func (w *world) Open(ctx context.Context, url string) (*ask.Source, error) {
	w.mu.Lock()
	w.opened = append(w.opened, url)
	w.mu.Unlock()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := w.site.Client().Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, errors.Join(err, fmt.Errorf("status %d", response.StatusCode))
	}
	return readPage(w.t, url, string(body)), nil
}

func readPage(t testing.TB, url, html string) *ask.Source {
	t.Helper()
	page := extract.Source{URL: url, MediaType: "text/html", Body: []byte(html)}
	document, err := extract.Read(context.Background(), page, extract.Options{Structured: true})
	if err != nil {
		t.Fatal(err)
	}
	return &ask.Source{URL: url, Title: document.Metadata.Title, Document: document, Page: page}
}

func (w *world) Given() []*ask.Source { return w.given }

// file adds a context file.
func (w *world) file(id, content string) {
	w.given = append(w.given, &ask.Source{URL: "file:" + id, Title: id, JSON: json.RawMessage(content), Named: true, Document: &extract.Document{Text: content}})
}

func (w *world) openedURLs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.opened...)
}

// nobody is an answerer that finds nothing and counts its calls.
type nobody struct {
	mu    sync.Mutex
	asked int
}

func (n *nobody) Answer(_ context.Context, task ask.Task, _ ask.World) (ask.Answer, error) {
	n.mu.Lock()
	n.asked++
	n.mu.Unlock()
	return ask.Compose(task.Format, nil)
}

const lampFormat = `{"name":"","price":0,"currency":"","tags":[""],"parts":[{"part":"","count":0}]}`

func lampTask(t testing.TB) ask.Task {
	t.Helper()
	format, err := ask.ParseFormat(json.RawMessage(lampFormat))
	if err != nil {
		t.Fatal(err)
	}
	return ask.Task{Text: "What does the Harbour Lamp cost? Its order code is ORDER-7731.", Format: format, Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
}

// tried is the result of an agent run with a model double.
type tried struct {
	answer  ask.Answer
	err     error
	record  llm.Record
	asked   []llmdouble.Request
	instead *nobody
	took    time.Duration
}

func try(t testing.TB, provider llm.Provider, script llmdouble.Script, w ask.World, task ask.Task, options agent.Options, change ...func(*llm.Config)) tried {
	t.Helper()
	d := llmdouble.New(t, provider, script)
	out := tried{instead: &nobody{}}
	options.Record = func(_ context.Context, record llm.Record) { out.record = record }
	begun := time.Now()
	a := agent.New(d.Client(change...), out.instead, options, slog.New(slog.DiscardHandler))
	out.answer, out.err = a.Answer(t.Context(), task, w)
	out.took = time.Since(begun)
	out.asked = d.Requests()
	return out
}

func call(name string, args any) llmdouble.Call {
	encoded, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return llmdouble.Call{Name: name, Arguments: string(encoded)}
}

func turn(calls ...llmdouble.Call) llmdouble.Turn { return llmdouble.Turn{Calls: calls} }

func search(query string) llmdouble.Call { return call("search", map[string]any{"query": query}) }
func open(url string) llmdouble.Call     { return call("open_page", map[string]any{"url": url}) }
func more(url string, part int) llmdouble.Call {
	return call("read_more", map[string]any{"url": url, "part": part})
}

// claim is a value as a model submits it.
type claim struct {
	Field string `json:"field"`
	Value any    `json:"value"`
	URL   string `json:"url"`
	Quote string `json:"quote"`
}

func submit(claims ...claim) llmdouble.Call {
	return call("submit_answer", map[string]any{"values": claims})
}

// eachWire runs a test with both APIs.
func eachWire(t *testing.T, run func(t *testing.T, provider llm.Provider)) {
	t.Helper()
	for _, provider := range llmdouble.Providers {
		t.Run(string(provider), func(t *testing.T) {
			t.Parallel()
			run(t, provider)
		})
	}
}
