package api_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// fieldPaths are the paths of all fields of a request, such as "actions.selector".
func fieldPaths(prefix string, of reflect.Type) []string {
	var paths []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		for inner.Kind() == reflect.Pointer || (inner.Kind() == reflect.Slice && inner.Elem().Kind() == reflect.Struct) {
			inner = inner.Elem()
		}
		if field.Anonymous {
			paths = append(paths, fieldPaths(prefix, inner)...)
			continue
		}
		if inner.Kind() == reflect.Struct {
			paths = append(paths, fieldPaths(prefix+name+".", inner)...)
			continue
		}
		paths = append(paths, prefix+name)
	}
	return paths
}

// fieldCase is the expected effect of a field.
type fieldCase struct {
	path    string // of the field
	options string // of the body, with the field
	bare    problem.Code
	want    string // of the response
	// asked checks the browser's job; nil if there must be none.
	asked func(job render.Job) bool
}

func action(check func(render.Action) bool) func(render.Job) bool {
	return func(job render.Job) bool { return len(job.Actions) == 1 && check(job.Actions[0]) }
}

// Without engines, a field is refused with its code, or "" if it needs none; with all engines it takes effect. A field
// without a case fails the test: no field may be ignored.
func fieldCases(site string) []fieldCase {
	return []fieldCase{
		{"url_to_scrape", `"formats":["text"]`, "", `"url_to_scrape":"` + site + `"`, nil},
		{"formats", `"formats":["text"]`, "", `"html_content":null`, nil},
		{"formats", `"formats":["screenshot"]`, problem.RendererUnavailable, "page.png", func(job render.Job) bool { return job.Screenshot != nil && !job.PDF }},
		{"formats", `"formats":["raw_pdf"]`, problem.RendererUnavailable, "page.pdf", func(job render.Job) bool { return job.PDF && job.Screenshot == nil }},
		{"formats", `"formats":["json"],"parser":"p"`, problem.ProviderNotConfigured, `"html_content":null`, nil},
		{"wait_before_scraping", `"wait_before_scraping":1500`, problem.RendererUnavailable, "Rendered", func(job render.Job) bool { return job.Wait == 1500*time.Millisecond }},
		{"remove_css_selectors", `"remove_css_selectors":["h1"],"formats":["text"]`, "", `"text_content":"Menu\n\nBuy\n\nWorld first post elsewhere"`, nil},
		{"remove_images", `"remove_images":true,"remove_css_selectors":"none","formats":["markdown"]`, "", `elsewhere](https://other.example/z)"`, nil},
		{"remove_class_names", `"remove_class_names":["ad"],"formats":["text"]`, "", `"Hello\n\nWorld`, nil},
		{"transformer", `"transformer":"postlight","remove_css_selectors":"none","formats":["text"]`, "", `World first post`, nil},
		{"links_on_page.absolute_links", `"links_on_page":{"absolute_links":false}`, "", `["/nav",`, nil},
		{"links_on_page.query_to_order_links_by", `"links_on_page":{"absolute_links":false,"query_to_order_links_by":"first post"}`, "", `["/blog/one?x=1",`, nil},
		{"links_on_page.include_links", `"links_on_page":{"absolute_links":false,"include_links":["/nav"]}`, "", `["/nav"]`, nil},
		{"links_on_page.exclude_links", `"links_on_page":{"absolute_links":false,"exclude_links":["/nav","https://**"]}`, "", `["/blog/one?x=1"]`, nil},
		{"render", `"render":"never"`, "", `"render_reason":"render: never"`, nil},
		{"render", `"render":"auto"`, "", `"render_reason":"not needed"`, nil},
		{"render", `"render":"always"`, problem.RendererUnavailable, `"render_reason":"render: always"`, func(job render.Job) bool {
			return job.Screen == render.ScreenDefault && job.Session != nil && job.Enter != nil && len(job.Actions) == 0 && job.Wait == 0
		}},
		{"actions.type", `"actions":[{"type":"wait","milliseconds":0}]`, problem.RendererUnavailable, "Rendered", action(func(a render.Action) bool { return a.Kind == render.ActionWait })},
		{"actions.milliseconds", `"actions":[{"type":"wait","milliseconds":250}]`, problem.RendererUnavailable, "Rendered", action(func(a render.Action) bool { return a.Duration == 250*time.Millisecond })},
		{"actions.selector", `"actions":[{"type":"click","selector":"#go"}]`, problem.RendererUnavailable, "Rendered", action(func(a render.Action) bool {
			return a.Kind == render.ActionClick && a.Selector == "#go"
		})},
		{"actions.value", `"actions":[{"type":"fill_input","selector":"#q","value":"rope"}]`, problem.RendererUnavailable, "Rendered", action(func(a render.Action) bool {
			return a.Kind == render.ActionFillInput && a.Selector == "#q" && a.Value == "rope"
		})},
		{"actions.direction", `"actions":[{"type":"scroll","direction":"left","amount":1}]`, problem.RendererUnavailable, "Rendered", action(func(a render.Action) bool {
			return a.Kind == render.ActionScroll && a.Direction == render.ScrollLeft
		})},
		{"actions.amount", `"actions":[{"type":"scroll","direction":"down","amount":300}]`, problem.RendererUnavailable, "Rendered", action(func(a render.Action) bool { return a.Amount == 300 })},
		{"country", `"country":"de"`, problem.ProviderNotConfigured, "World", nil},
		{"country", `"country":"RANDOM","render":"always"`, problem.RendererUnavailable, "Rendered", func(job render.Job) bool { return !job.Session.Fresh() }},
		{"parser", `"parser":"@a/b"`, problem.ProviderNotConfigured, `"json_content":"{\"bytes\":`, nil},
		{"parser", `"parser":{"id":"@a/b"},"formats":["text","json"]`, problem.ProviderNotConfigured, `\"parser\":\"@a/b\"`, nil},
		{"llm_extract.schema", `"llm_extract":{"schema":{"type":"object"}}`, problem.ProviderNotConfigured, `"json_content":"{\"title\":\"A page\"}","json":{"title":"A page"}`, nil},
		{"llm_extract.prompt", `"llm_extract":{"prompt":"the title"},"formats":["json"]`, problem.ProviderNotConfigured, `"json_content":"{\"title\":\"A page\"}"`, nil},
		{"screen_size.screen_type", `"screen_size":{"screen_type":"mobile"}`, problem.RendererUnavailable, "Rendered", func(job render.Job) bool { return job.Screen == render.ScreenMobile }},
		{"screen_size.screen_type", `"screen_size":{"screen_type":"default"}`, problem.RendererUnavailable, "Rendered", func(job render.Job) bool { return job.Screen == render.ScreenDefault }},
		{"screen_size.screen_width", `"screen_size":{"screen_type":"desktop","screen_width":640}`, problem.RendererUnavailable, "Rendered", func(job render.Job) bool {
			return job.Screen == render.Screen{Width: 640, Height: 1080}
		}},
		{"screen_size.screen_height", `"screen_size":{"screen_height":8192}`, problem.RendererUnavailable, "Rendered", func(job render.Job) bool {
			return job.Screen == render.Screen{Width: 1024, Height: 8192}
		}},
		{"screenshot.full_page", `"screenshot":{"full_page":true}`, problem.RendererUnavailable, "page.png", func(job render.Job) bool { return job.Screenshot != nil && job.Screenshot.FullPage }},
		{"screenshot.full_page", `"screenshot":{}`, problem.RendererUnavailable, "page.png", func(job render.Job) bool { return job.Screenshot != nil && !job.Screenshot.FullPage }},
		{"record", `"record":true`, "", `"warc_hosted_url":"http`, nil},
		{"max_age", `"max_age":604800,"formats":["text"],"remove_class_names":["fields"]`, "", `"age":`, nil},
		{"metadata", `"metadata":{"order":7}`, "", `"metadata":{"order":"7"}`, nil},
	}
}

func TestEveryFieldWorksOrIsRefused(t *testing.T) {
	t.Parallel()
	var covered []string
	for _, c := range fieldCases("") {
		covered = append(covered, c.path)
	}
	for _, path := range fieldPaths("", reflect.TypeFor[scrapes.Request]()) {
		if !slices.Contains(covered, path) {
			t.Errorf("the field %s has no case: say what it does, and what it does without engines", path)
		}
	}
	bare, site := setup(t, options{}), newTarget(t, servePage)
	full, engines := withEngines(t)
	for _, unit := range []string{"key", "wallet"} {
		for _, c := range fieldCases(site.URL + "/") {
			t.Run(unit+" "+c.path+" "+c.options, func(t *testing.T) {
				body := bodyFor(site.URL+"/", c.options)
				payer := func(s *service) *edgewire.Identity {
					if unit == "wallet" {
						return walletPays(walletA, 10_000)
					}
					return teamPays(s.team, 20)
				}
				w := bare.scrape(payer(bare), body)
				if c.bare != "" {
					wantError(t, w, c.bare)
				} else {
					wantAnswer(t, w.Code, w.Body.String(), c.want)
				}
				before := len(engines.jobs)
				w = full.scrape(payer(full), body)
				wantAnswer(t, w.Code, w.Body.String(), c.want)
				if browsed := len(engines.jobs) > before; browsed != (c.asked != nil) || (browsed && !c.asked(engines.lastJob())) {
					t.Errorf("browser used %t, for %+v", browsed, engines.lastJob())
				}
			})
		}
	}
	if len(engines.proxy.targets) < 2 {
		t.Errorf("the country's proxy was asked for %v, want the plain and the rendered page", engines.proxy.targets)
	}
}

func wantAnswer(t *testing.T, status int, body, want string) {
	t.Helper()
	if status != http.StatusOK || !strings.Contains(body, want) {
		t.Fatalf("got %d %s, want 200 with %s in it", status, body, want)
	}
	if !json.Valid([]byte(body)) {
		t.Errorf("got %s, want JSON", body)
	}
}

func TestFieldsThatExcludeEachOther(t *testing.T) {
	t.Parallel()
	s, _ := withEngines(t)
	tests := []struct{ name, options, field, says string }{
		{"never and a screenshot", `"render":"never","formats":["screenshot"]`, "render", "must not be never: screenshot cannot work without"},
		{"never and screenshot options", `"render":"never","screenshot":{"full_page":true}`, "render", "screenshot cannot work without"},
		{"never and actions", `"render":"never","actions":[{"type":"click","selector":"a"}]`, "render", "actions cannot"},
		{"never and a wait", `"render":"never","wait_before_scraping":1`, "render", "wait_before_scraping cannot"},
		{"never and a screen", `"render":"never","screen_size":{"screen_type":"mobile"}`, "render", "screen_size cannot"},
		{"a parser and a model", `"parser":"p","llm_extract":{"prompt":"x"}`, "llm_extract", "both produce json_content"},
		{"waits of more than a minute", `"wait_before_scraping":30000,"actions":[{"type":"wait","milliseconds":30001}]`, "actions", "60000 milliseconds"},
		{"a schema that is none", `"llm_extract":{"schema":{"type":"nonsense"}}`, "llm_extract", "not a JSON Schema"},
		{"a screen too large", `"screen_size":{"screen_width":8193}`, "screen_size", "8192"},
		{"a parser that is a number", `"parser":7`, "parser", "parser"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.scrape(teamPays(s.team, 20), bodyFor("https://example.com/", tt.options))
			wantRefusal(t, w, problem.ValidationError, tt.says)
			if !strings.Contains(w.Body.String(), `"loc":["body","`+tt.field+`"`) {
				t.Errorf("got %s, want a fault of %s", w.Body, tt.field)
			}
		})
	}
	wantRefusal(t, s.scrape(teamPays(s.team, 1), bodyFor("https://example.com/", `"parser":"missing"`)), problem.ParserNotFound, "no parser")
}
