package firecrawl

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// absent is a field that asks for something that no feature has. Its tag refuse says so. A value that asks for nothing, such
// as false or an empty list, is accepted.
type absent bool

// UnmarshalJSON reports whether the value asks for something.
func (a *absent) UnmarshalJSON(data []byte) error {
	*a = absent(!slices.Contains([]string{"null", "false", "0", `""`, "[]", "{}"}, string(bytes.TrimSpace(data))))
	return nil
}

// Schema accepts any value.
func (absent) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// ignored is a field that changes nothing here, which docs/firecrawl.md explains: clients send it without being asked.
type ignored struct{}

// UnmarshalJSON accepts any value.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// Schema accepts any value.
func (ignored) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// refusals returns the faults of the absent fields that a request has set, in structs of this package at any depth.
func refusals(v any, at ...any) []problem.Fault {
	return refusalsOf(reflect.ValueOf(v), at)
}

func refusalsOf(v reflect.Value, at []any) []problem.Fault {
	var faults []problem.Fault
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return refusalsOf(v.Elem(), at)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			break
		}
		for i := range v.Len() {
			faults = append(faults, refusalsOf(v.Index(i), append(slices.Clone(at), i))...)
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			is := field.Type == reflect.TypeFor[absent]()
			switch {
			case is && value.Bool():
				faults = append(faults, problem.Fault{Loc: append(slices.Clone(at), name), Msg: "is not available here: " + field.Tag.Get("refuse"), Type: problem.FaultInvalid})
			case field.Anonymous:
				faults = append(faults, refusalsOf(value, at)...)
			case !is && field.Type.PkgPath() == v.Type().PkgPath(), value.Kind() == reflect.Pointer, value.Kind() == reflect.Slice:
				faults = append(faults, refusalsOf(value, append(slices.Clone(at), name))...)
			}
		}
	default:
	}
	return faults
}

func bodyMaxOf(path string) principal.Trait {
	if n := bodyMax[path]; n > 0 {
		return principal.BodyMax(n)
	}
	return principal.BodyMax(bodyMaxDefault)
}

const bodyMaxDefault = 1 << 20

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
	{"/v0/", "Only version 2 of the API is available: use a client of version 2."},
	{"/v1/", "Only version 2 of the API is available: use a client of version 2."},
}

// formerPaths are the paths of clients of former versions, as patterns of the price book.
func formerPaths() []string {
	return []string{
		"/v0/*", "/v1/scrape", "/v1/crawl", "/v1/crawl/*", "/v1/map", "/v1/search", "/v1/extract", "/v1/extract/*", "/v1/batch/scrape",
		"/v1/batch/scrape/*", "/v1/deep-research", "/v1/deep-research/*", "/v1/llmstxt", "/v1/llmstxt/*", "/v1/team/*",
	}
}

// refuseOthers answers all other paths of Firecrawl's clients in their form. It reads no body, which may be an upload.
func refuseOthers(api huma.API) {
	for _, path := range append([]string{"/v2/*"}, formerPaths()...) {
		path = strings.Replace(path, "/*", "/{rest...}", 1)
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			op := &huma.Operation{Method: method, Path: path, Hidden: true, Metadata: principal.Public.Metadata(principal.ErrorForm(errorForm))}
			api.Adapter().Handle(op, func(ctx huma.Context) {
				e := problem.New(problem.NotFound, refusalOf(ctx.Method(), ctx.URL().Path))
				ctx.SetHeader("Content-Type", "application/json")
				ctx.SetStatus(e.GetStatus())
				_ = huma.DefaultJSONFormat.Marshal(ctx.BodyWriter(), errorForm(e))
			})
		}
	}
}

func refusalOf(method, path string) string {
	for _, w := range without {
		if strings.HasPrefix(path, w.path) {
			return fmt.Sprintf("%s %.200s is not available here. %s See docs/firecrawl.md for what is.", method, path, w.instead)
		}
	}
	return fmt.Sprintf("%s %.200s is not available here.", method, path)
}
