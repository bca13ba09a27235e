package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
)

// engines are doubles of all engines that a scrape may use. They do little, and record the calls.
type engines struct {
	proxy *countryProxy

	mu          sync.Mutex
	available   error // of the browser
	renderErr   error
	rendered    string // replaces what is fetched
	parseErr    error
	extractErr  error
	jobs        []render.Job
	parsed      []string // teams and ids
	tasks       []extraction.Task
	sourcesRead []extract.Source
	hadData     bool // the document had its structured data
}

// withEngines sets up a service that has everything.
func withEngines(t *testing.T) (*service, *engines) {
	t.Helper()
	e := &engines{proxy: &countryProxy{}}
	server := httptest.NewServer(e.proxy)
	t.Cleanup(server.Close)
	proxies, err := fetch.ParseProxies("DE=" + server.URL)
	must(t, err)
	client, err := fetch.New(fetch.Config{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowAnyPort: true, Proxies: proxies})
	must(t, err)
	t.Cleanup(client.Close)
	return setup(t, options{scrapes: func(c *scrapes.Config) {
		c.Fetcher, c.Renderer, c.Parsers, c.Extractor = client, e, e, (*extractor)(e)
	}}), e
}

func (e *engines) lastJob() render.Job {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.jobs) == 0 {
		return render.Job{}
	}
	return e.jobs[len(e.jobs)-1]
}

func (e *engines) Available() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.available
}

// Render fetches the page with the job's settings and marks it as rendered.
func (e *engines) Render(ctx context.Context, job render.Job) (*render.Result, error) {
	e.mu.Lock()
	e.jobs = append(e.jobs, job)
	renderErr, rendered := e.renderErr, e.rendered
	e.mu.Unlock()
	if err := job.Validate(); err != nil {
		return nil, &render.Error{Reason: render.ReasonInvalidJob, Err: err}
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, hostPort string) (net.Conn, error) {
		return job.Dial(ctx, hostPort)
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, job.URL.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return nil, &render.Error{Reason: render.ReasonNavigation, Fetch: fetch.ReasonConnect, URL: job.URL.String(), Err: err}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || renderErr != nil {
		return nil, renderErr
	}
	if rendered != "" {
		body = []byte(rendered)
	}
	result := &render.Result{URL: job.URL, StatusCode: answer.StatusCode, Header: answer.Header, MediaType: "text/html", HTML: append(body, "<p>Rendered"...)}
	if job.Screenshot != nil {
		result.Screenshot = dot
	}
	if job.PDF {
		result.PDF = []byte("%PDF-1.7 printed")
	}
	return result, nil
}

func (e *engines) Resolve(_ context.Context, _, id string) (string, error) {
	if id == "missing" {
		return "", problem.New(problem.ParserNotFound, "There is no parser with this id.")
	}
	if id == "p" {
		id = "p@7"
	}
	return id, nil
}

func (e *engines) Parse(_ context.Context, teamID, id string, source extract.Source, document *extract.Document) (json.RawMessage, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hadData = document.Structured != nil
	e.parsed, e.sourcesRead = append(e.parsed, teamID+" "+id), append(e.sourcesRead, source)
	if e.parseErr != nil {
		return nil, e.parseErr
	}
	return json.Marshal(map[string]any{"parser": id, "title": document.Metadata.Title, "bytes": len(source.Body)})
}

type extractor engines

func (e *extractor) Check(task extraction.Task) error {
	if bytes.Contains(task.Schema, []byte("nonsense")) {
		return problem.Validation(problem.BodyFault("llm_extract", "schema is not a JSON Schema"))
	}
	return nil
}

func (e *extractor) Reads() bool { return true }

func (e *extractor) Extract(_ context.Context, task extraction.Task, source extract.Source, document *extract.Document) (extraction.Result, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tasks, e.sourcesRead = append(e.tasks, task), append(e.sourcesRead, source)
	if e.extractErr != nil {
		return extraction.Result{}, e.extractErr
	}
	data, err := json.Marshal(map[string]any{"title": document.Metadata.Title})
	return extraction.Result{JSON: data}, err
}
