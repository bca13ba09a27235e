package firecrawl

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// errorBody is an error as Firecrawl's clients read it: error is text for people.
type errorBody struct {
	Success bool           `json:"success"`
	Error   string         `json:"error"`
	Code    string         `json:"code"`
	Details map[string]any `json:"details,omitempty"`
}

// errorForm is the principal.ErrorForm of the routes. Three codes are Firecrawl's, all others are this service's.
func errorForm(e *problem.Error) any {
	body := errorBody{Error: e.Detail, Code: string(e.Code), Details: e.Metadata}
	switch {
	case e.Code == problem.RequestTimeout:
		body.Code = "SCRAPE_TIMEOUT"
	case e.Code == problem.FetchFailed && e.Metadata["reason"] == "dns":
		body.Code = "SCRAPE_DNS_RESOLUTION_ERROR"
	case e.Code == problem.FetchFailed && e.Metadata["reason"] == "tls":
		body.Code = "SCRAPE_SSL_ERROR"
	}
	return body
}

// clientError gives err a status that clients have a class of errors for, and the client's names of fields. Clients would send
// a request again after a 502, three times at once.
func clientError(err error) error {
	e := problem.From(err)
	if faults, ok := e.Metadata["errors"].([]problem.Fault); ok && e.Code == problem.ValidationError {
		for i := range faults {
			faults[i] = renamed(faults[i])
		}
		e = problem.Validation(faults...)
	}
	switch e.GetStatus() {
	case http.StatusGatewayTimeout:
		return e.At(http.StatusRequestTimeout)
	case http.StatusBadGateway:
		return e.At(http.StatusInternalServerError)
	case http.StatusNotImplemented, http.StatusUnprocessableEntity:
		return e.At(http.StatusBadRequest)
	case http.StatusServiceUnavailable:
		return e.At(http.StatusTooManyRequests)
	}
	return e
}

func refuse(faults ...problem.Fault) error { return problem.Validation(faults...) }

// fault is what is wrong at a dotted place of the body, such as "scrapeOptions.formats"; "" is the body itself.
func fault(at, msg string) problem.Fault {
	loc := []any{"body"}
	for part := range strings.SplitSeq(at, ".") {
		if part != "" {
			loc = append(loc, part)
		}
	}
	return problem.Fault{Loc: loc, Msg: msg, Type: problem.FaultInvalid}
}

// without says what to use in place of a path that clients have methods for, by the path's beginning.
var without = []struct{ path, instead string }{
	{"/v2/parse", "Files are not parsed from an upload: scrape their URL, PDF included."},
	{"/v2/browser", "There are no browser sessions: use actions of /v2/scrape."},
	{"/v2/scrape/", "A scrape has no browser session to interact with: use actions of /v2/scrape."},
	{"/v2/crawl/params-preview", "Parameters of a crawl are not made from a prompt: set includePaths and the other fields."},
	{"/v2/search/", "Only /v2/search itself is available."},
	{"/v2/feedback", "Feedback is not collected."},
	{"/v2/team/credit-usage/historical", "See GET /user/usage for the usage by day, endpoint or key."},
	{"/v2/team/token-usage", "There are no tokens here: see /v2/team/credit-usage."},
	{"/v2/team/queue-status", "See /v2/crawl/active for the crawls in progress."},
	{"/v2/agent", "An agent answers in its POST request; there are no lists, traces, snapshots and threads."},
	{"/v2/", "There is no such operation."},
	{"/", "Only version 2 of the API is available: use a client of version 2."},
}

// formerPaths are the paths of clients of former versions, as patterns of the price book.
var formerPaths = []string{
	"/v0/*", "/v1/scrape", "/v1/crawl", "/v1/crawl/*", "/v1/map", "/v1/search", "/v1/extract", "/v1/extract/*", "/v1/batch/scrape",
	"/v1/batch/scrape/*", "/v1/deep-research", "/v1/deep-research/*", "/v1/llmstxt", "/v1/llmstxt/*", "/v1/team/*",
}

// refuseOthers answers all other paths of Firecrawl's clients in their form. It reads no body, which may be an upload.
func refuseOthers(api huma.API) {
	for _, path := range append([]string{"/v2/*"}, formerPaths...) {
		path = strings.Replace(path, "/*", "/{rest...}", 1)
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			op := &huma.Operation{Method: method, Path: path, Hidden: true, Metadata: principal.Public.Metadata()}
			api.Adapter().Handle(op, func(ctx huma.Context) {
				u := ctx.URL()
				e := problem.New(problem.NotFound, refusalOf(ctx.Method(), u.Path))
				ctx.SetHeader("Content-Type", "application/json")
				ctx.SetStatus(e.GetStatus())
				_ = huma.DefaultJSONFormat.Marshal(ctx.BodyWriter(), errorForm(e))
			})
		}
	}
}

func refusalOf(method, path string) string {
	instead := ""
	for _, w := range without {
		if instead == "" && strings.HasPrefix(path, w.path) {
			instead = w.instead
		}
	}
	return fmt.Sprintf("%s %.200s is not available here. %s docs/firecrawl.md lists what is.", method, path, instead)
}
