package firecrawl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// ignored are fields that change nothing here, which docs/firecrawl.md explains: clients send them without being asked.
var ignored = []string{
	"blockAds", "ignoreInvalidURLs", "includeDiffs", "integration", "origin", "showSources", "skipTlsVerification", "toolDetail",
}

// unavailable are fields that ask for what no feature has, with what to do instead. A value that asks for nothing, such as
// false, is accepted.
var unavailable = map[string]string{
	"agent":                 "use /v2/agent",
	"alexandria":            "there are no data providers",
	"allowExternalLinks":    "",
	"appendToId":            "start another batch",
	"auditMetadata":         "there is no audit log",
	"categories":            "use includeDomains",
	"checkPromptInjection":  "pages are not checked for it",
	"crawlOptions":          "a monitor watches pages",
	"delay":                 "each host is asked at a rate that it takes",
	"effort":                "an answer takes up to a minute",
	"enableWebSearch":       "use /v2/agent",
	"enterprise":            "results are kept for seven days",
	"exchange":              "there are no data providers",
	"headers":               "requests have the headers of this service only, and events are signed",
	"highlights":            "description has the part of a page that matches",
	"includeTags":           "use onlyMainContent and excludeTags, or the format json with a schema",
	"languages":             "a browser's languages cannot be set",
	"lockdown":              "a page is never read from a store alone",
	"maxConcurrency":        "see /v2/concurrency-check",
	"maxPages":              "a PDF is read whole",
	"maxResults":            "a monitor watches pages",
	"minAge":                "a page is never read from a store alone",
	"model":                 "the operator sets the model",
	"pageMarkers":           "a PDF is read whole",
	"pages":                 "a PDF is read whole",
	"profile":               "browsers keep no state between scrapes",
	"quality":               "a screenshot is a PNG",
	"queries":               "a monitor watches pages: POST /v1/monitors watches a search",
	"redactPII":             "personal data is not recognized",
	"robotsUserAgent":       "robots.txt is read for this service's own user agent",
	"searchWindow":          "a monitor watches pages",
	"strictConstrainToURLs": "urls are read first, and a search may find further pages",
	"systemPrompt":          "put it into prompt",
	"tbs":                   "results have no time range",
	"threadId":              "each request stands alone",
	"threatProtection":      "hosts have no ratings; private addresses are always refused",
	"useMock":               "there are no recorded pages",
	"zeroDataRetention":     "results are kept for seven days",
}

// body decodes the request's body, and refuses what it asks for and no feature has.
func body[T any](ctx context.Context) (*T, error) { return read[T](decode.From(ctx)) }

func read[T any](body *edgewire.Body) (*T, error) {
	if body.IsEmpty() || !edgewire.IsObject(body.Text()) {
		return nil, refuse(fault("", "must be a JSON object with the fields of this operation"))
	}
	out := new(T)
	var c cleaner
	text := c.object(body.Text(), []any{"body"}, fieldsOf(out))
	if len(c.faults) > 0 {
		return nil, refuse(c.faults...)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(out)
	if mistyped, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return nil, refuse(fault(strings.TrimPrefix(mistyped.Field, "Options."), "must be a "+mistyped.Type.Kind().String()+", and is a "+mistyped.Value))
	}
	if err != nil {
		return nil, refuse(fault("", strings.TrimPrefix(err.Error(), "json: ")+": it is not available here"))
	}
	return out, nil
}

// own is implemented by requests that have a field which others refuse.
type own interface{ fields() []string }

func fieldsOf(v any) []string {
	if has, ok := v.(own); ok {
		return has.fields()
	}
	return nil
}

// cleaner writes JSON without what changes nothing, and collects the faults of the rest.
type cleaner struct{ faults []problem.Fault }

func (c *cleaner) object(text []byte, at []any, own []string) []byte {
	out := []byte{'{'}
	for name, value := range edgewire.Members(text) {
		here := append(slices.Clone(at), any(name))
		instead, known := unavailable[name]
		mine := slices.Contains(own, name)
		known = known && !mine
		switch {
		case string(value) == "null" || !mine && slices.Contains(ignored, name):
			continue
		case known && slices.Contains([]string{"false", "0", `""`, "[]", "{}"}, string(bytes.TrimSpace(value))):
			continue
		case known:
			c.faults = append(c.faults, problem.Fault{Loc: here, Msg: strings.TrimSuffix("is not available here: "+instead, ": "), Type: problem.FaultInvalid})
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		quoted, _ := json.Marshal(name) // a string cannot fail
		out = append(append(out, quoted...), ':')
		out = append(out, c.value(name, value, here)...)
	}
	return append(out, '}')
}

// value cleans the value of a member. Lists of types may have their names alone, and a webhook its address. A schema is the
// client's own and stays as it is.
func (c *cleaner) value(name string, text []byte, at []any) []byte {
	switch {
	case name == "schema":
		return text
	case name == "webhook" && !edgewire.IsObject(text):
		return fmt.Appendf(nil, `{"url":%s}`, text)
	case edgewire.IsObject(text):
		return c.object(text, at, nil)
	case !edgewire.IsList(text) || name == "urls":
		return text
	}
	out, n := []byte{'['}, 0
	for element := range edgewire.Elements(text) {
		if n > 0 {
			out = append(out, ',')
		}
		switch {
		case edgewire.IsObject(element):
			element = c.object(element, append(slices.Clone(at), n), nil)
		case slices.Contains([]string{"formats", "parsers", "sources"}, name):
			element = fmt.Appendf(nil, `{"type":%s}`, element)
		}
		out = append(out, element...)
		n++
	}
	return append(out, ']')
}

// checked returns a request as a feature would have read it, with all checks of its schema.
func checked[T any](r *T) (*T, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("writing a request: %w", err))
	}
	return decode.Request[T](edgewire.NewBody(text))
}

// theirs are the names that clients know fields of features by.
var theirs = map[string]string{
	"url_to_scrape": "url", "start_url": "url", "max_pages": "limit", "top_n": "limit", "max_depth": "maxDiscoveryDepth", "task": "prompt",
	"json_format": "schema", "llm_extract": "formats", "wait_before_scraping": "waitFor", "remove_css_selectors": "excludeTags",
	"country": "location", "search_query": "search", "include_urls": "includePaths", "exclude_urls": "excludePaths", "items": "urls",
	"include_domains": "includeDomains", "exclude_domains": "excludeDomains", "scrape_options": "scrapeOptions", "screen_size": "formats",
	"frequency": "schedule", "query": "goal", "render": "fastMode",
}

// renamed returns a fault of a feature at the field that the client has sent. The query of a search keeps its name.
func renamed(f problem.Fault) problem.Fault {
	loc := slices.Clone(f.Loc)
	for i, part := range loc {
		if name, ok := part.(string); ok && theirs[name] != "" {
			loc[i] = theirs[name]
		}
	}
	f.Loc = loc
	return f
}
