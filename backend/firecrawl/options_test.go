package firecrawl

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// said returns the text of an error as a client gets it, "" without one.
func said(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	text, err := json.Marshal(errorForm(problem.From(clientError(err))))
	if err != nil {
		t.Fatal(err)
	}
	var body errorBody
	if err := json.Unmarshal(text, &body); err != nil || body.Success || body.Code == "" {
		t.Fatalf("got %s, want an error in Firecrawl's form", text)
	}
	return body.Error
}

func scrapeOf(text string) (string, wants, error) {
	r, err := read[scrapeRequest](edgewire.NewBody([]byte(text)))
	if err != nil {
		return "", nil, err
	}
	out, w, err := r.scrape()
	if err != nil {
		return "", nil, err
	}
	mapped, err := json.Marshal(out)
	return string(mapped), w, err
}

func TestScrapesAreMapped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want, outputs string }{
		{"defaults", ``, `"formats":["markdown"],"transformer":"postlight"`, "markdown"},
		{"the whole page", `,"onlyMainContent":false`, `"formats":["markdown"],"remove_css_selectors":"none"`, "markdown"},
		{"excludeTags", `,"excludeTags":["nav"]`, `"formats":["markdown"],"remove_css_selectors":["nav"],"transformer":"postlight"`, "markdown"},
		{"rawHtml", `,"formats":["rawHtml"]`, `"formats":["html"],"remove_css_selectors":"none"`, "rawHtml"},
		{"links", `,"formats":["links",{"type":"html"}]`, `"formats":["html"],"transformer":"postlight","links_on_page":{}`, "links html"},
		{
			"a screenshot", `,"formats":[{"type":"screenshot","fullPage":true,"viewport":{"width":640,"height":480}}]`,
			`"formats":["screenshot"],"transformer":"postlight","screen_size":{"screen_width":640,"screen_height":480},"screenshot":{"full_page":true}`, "screenshot",
		},
		{
			"JSON, in the order of its schema", `,"formats":[{"type":"json","schema":{"type":"object","properties":{"b":{},"a":{}}}}]`,
			`"formats":["json"],"transformer":"postlight","llm_extract":{"schema":{"type":"object","properties":{"b":{},"a":{}}}}`, "json",
		},
		{
			"a prompt beside a schema", `,"formats":[{"type":"json","prompt":"the price","schema":{"type":"object"}}]`,
			`"llm_extract":{"schema":{"description":"the price","type":"object"}}`, "json",
		},
		{
			"actions", `,"actions":[{"type":"wait","milliseconds":5},{"type":"click","selector":"#q"},{"type":"write","text":"rope"},{"type":"scroll"}]`,
			`"actions":[{"type":"wait","milliseconds":5},{"type":"fill_input","selector":"#q","value":"rope"},{"type":"scroll","direction":"down","amount":700}]`, "markdown",
		},
		{"the rest", `,"waitFor":100,"mobile":true,"location":{"country":"DE","languages":[]},"fastMode":false`, `"wait_before_scraping":100,"transformer":"postlight","country":"DE","screen_size":{"screen_type":"mobile"}`, "markdown"},
		{"maxAge in milliseconds", `,"maxAge":14400000`, `"max_age":14400`, "markdown"},
		{
			"what the client from PyPI always sends", `,"skipTlsVerification":true,"removeBase64Images":true,"fastMode":false,"blockAds":true,"maxAge":0,"storeInCache":true,"origin":"x",
			"integration":"y","parsers":["pdf",{"type":"pdf","maxPages":null}],"proxy":"auto","minAge":null,"redactPII":false`, `"formats":["markdown"],"transformer":"postlight"`, "markdown",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, w, err := scrapeOf(`{"url":"https://example.com/"` + tt.in + `}`)
			if err != nil || !strings.Contains(got, tt.want) || strings.Join(w, " ") != tt.outputs {
				t.Errorf("got %s with %q, %v, want %s with %q", got, w, err, tt.want, tt.outputs)
			}
		})
	}
}

// What no feature has is refused with its name and what to do instead.
func TestScrapesAreRefused(t *testing.T) {
	t.Parallel()
	refused := map[string][]string{
		`"formats":["changeTracking"]`:                           {"body.formats", "changeTracking", "/v2/monitor"},
		`"formats":["branding"]`:                                 {"branding", "markdown, html"},
		`"formats":[{"type":"question","question":"x"}]`:         {"question"},
		`"formats":["json"]`:                                     {"schema or a prompt"},
		`"formats":["summary",{"type":"json","prompt":"x"}]`:     {"only one of json and summary"},
		`"formats":["markdown","rawHtml"]`:                       {"onlyMainContent: false"},
		`"formats":[{"type":"screenshot","quality":80}]`:         {"body.formats.0.quality", "PNG"},
		`"formats":[{"type":"json","prompt":"x","schema":7}]`:    {"schema"},
		`"actions":[{"type":"press","key":"Enter"}]`:             {"body.actions.0", "press", "click"},
		`"actions":[{"type":"wait","selector":"#a"}]`:            {"milliseconds"},
		`"actions":[{"type":"write","text":"a"}]`:                {"must follow a click"},
		`"actions":[{"type":"click","selector":"a","all":true}]`: {"one target"},
		`"actions":[{"type":"scroll","selector":"a"}]`:           {"selector"},
		`"actions":[{"type":"screenshot"}]`:                      {"format screenshot"},
		`"parsers":[]`:                                           {"body.parsers", "base64"},
		`"parsers":["image"]`:                                    {"only pdf"},
		`"parsers":[{"type":"pdf","maxPages":3}]`:                {"maxPages", "read whole"},
		`"proxy":"stealth"`:                                      {"basic and auto"},
		`"removeBase64Images":false`:                             {"must be true"},
		`"storeInCache":false`:                                   {"seven days"},
		`"location":{"languages":["de"]}`:                        {"body.location.languages"},
		`"mobile":"yes"`:                                         {"body.mobile", "must be a bool"},
		`"fields":1`:                                             {`"fields"`, "not available here"},
		`"mobile":true,"formats":[{"type":"screenshot","viewport":{"width":1,"height":1}}]`: {"viewport"},
	}
	for name := range unavailable {
		if !slices.Contains([]string{"quality", "languages", "maxPages"}, name) {
			refused[`"`+name+`":{"a":1}`] = []string{"body." + name, "is not available here"}
		}
	}
	for field, parts := range refused {
		got, _, err := scrapeOf(`{"url":"https://example.com/",` + field + `}`)
		text := said(t, err)
		if err == nil {
			t.Errorf("%s: got %s, want a refusal", field, got)
		}
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s: got %q, want %q in it", field, text, part)
			}
		}
	}
}

func TestRegularExpressionsAsGlobs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`blog/.*`: `**blog/**`, `^/blog/.*$`: `/blog/**`, `/docs/[^/]+$`: `**/docs/*`, `^/a\.html`: `/a.html**`, `^/x(.*)$`: `/x**`, `.*`: `**`,
	} {
		if got, err := globOf(text, false); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
	if got, err := globOf(`^https://example\.com/docs/.*`, true); got != `https://example.com/docs/**` || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{`a|b`, `a+`, `(a)`, `[ab]`, `a{2}`, `a$b`, `\d`, `a\`, `https://x`} {
		if got, err := globOf(text, false); err == nil {
			t.Errorf("%s: got %q, want a refusal", text, got)
		}
	}
	if _, err := globOf(`/docs/.*`, true); err == nil {
		t.Error("got a path for a whole URL")
	}
}

func TestCrawlsAreMapped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{`"url":"https://example.com/"`, `{"start_url":"https://example.com/","metadata":{"firecrawl_formats":"markdown"}}`},
		{`"url":"https://example.com/docs"`, `"include_urls":["/docs","/docs/**"]`},
		{`"url":"https://example.com/docs","crawlEntireDomain":true,"includePaths":["a/.*"]`, `"include_urls":["**a/**"]`},
		{
			`"url":"https://example.com/","excludePaths":["^/b"],"maxDiscoveryDepth":2,"allowExternalLinks":true,"allowSubdomains":true,"ignoreRobotsTxt":true`,
			`"max_depth":2,"exclude_urls":["/b**"],"include_external":true,"include_subdomain":true,"follow_robots_txt":false`,
		},
		{`"url":"https://example.com/","webhook":{"url":"https://example.com/hook","events":["completed"],"headers":{}}`, `"webhook":"https://example.com/hook"`},
	} {
		r, err := read[crawlRequest](edgewire.NewBody([]byte(`{` + tt.in + `}`)))
		if err != nil {
			t.Fatalf("%s: %v", tt.in, err)
		}
		out, err := r.crawl()
		text, _ := json.Marshal(out)
		if err != nil || !strings.Contains(string(text), tt.want) || out.Pages.Transformer != "postlight" {
			t.Errorf("%s: got %s, %v, want %s", tt.in, text, err, tt.want)
		}
	}
	for in, part := range map[string]string{
		`"prompt":"the blog"`: "prompt", `"sitemap":"only"`: "sitemap", `"delay":1`: "body.delay", `"maxConcurrency":2`: "maxConcurrency",
		`"ignoreQueryParameters":true`: "ignoreQueryParameters", `"deduplicateSimilarURLs":false`: "deduplicateSimilarURLs",
		`"webhook":"https://example.com/hook"`: `events: ["completed"]`, `"includePaths":["a|b"]`: "body.includePaths.0",
		`"webhook":{"url":"https://example.com/","events":["completed"],"headers":{"a":"b"}}`: "webhook.headers",
		`"scrapeOptions":{"formats":["audio"]}`:                                               "body.scrapeOptions.formats", `"scrapeOptions":{"timeout":5}`: "scrapeOptions.timeout",
		`"zeroDataRetention":true`: "zeroDataRetention", `"robotsUserAgent":"x"`: "robotsUserAgent",
	} {
		r, err := read[crawlRequest](edgewire.NewBody([]byte(`{"url":"https://example.com/",` + in + `}`)))
		if err == nil {
			_, err = r.crawl()
		}
		if got := said(t, err); !strings.Contains(got, part) {
			t.Errorf("%s: got %q, want %q in it", in, got, part)
		}
	}
}

func TestOthersAreMappedAndRefused(t *testing.T) {
	t.Parallel()
	body := func(text string) *edgewire.Body { return edgewire.NewBody([]byte(text)) }
	batch := func(text string) (any, error) {
		r, err := read[batchRequest](body(text))
		if err != nil {
			return nil, err
		}
		out, invalid, err := r.batch()
		return []any{out, invalid}, err
	}
	site := func(text string) (any, error) {
		r, err := read[mapRequest](body(text))
		if err != nil {
			return nil, err
		}
		return r.site()
	}
	search := func(text string) (any, error) {
		r, err := read[searchRequest](body(text))
		if err != nil {
			return nil, err
		}
		out, _, err := r.search()
		return out, err
	}
	extract := func(text string) (any, error) {
		r, err := read[extractRequest](body(text))
		if err != nil {
			return nil, err
		}
		return r.scrape()
	}
	agent := func(text string) (any, error) {
		r, err := read[agentRequest](body(text))
		if err != nil {
			return nil, err
		}
		return r.task()
	}
	monitor := func(text string) (any, error) {
		r, err := read[monitorRequest](body(text))
		if err != nil {
			return nil, err
		}
		return r.monitor()
	}
	const pages = `"name":"n","schedule":{"text":"every day"},"targets":[{"type":"scrape","urls":["https://example.com/"]}]`
	for _, tt := range []struct {
		name    string
		do      func(string) (any, error)
		in      string
		want    string // of the mapped request
		refusal string
	}{
		{"batch", batch, `{"urls":["https://example.com/","none"],"formats":["html"]}`, `[{"items":[{"url":"https://example.com/"}],"metadata":{"firecrawl_formats":"html"}},["none"]]`, ""},
		{"invalid URLs", batch, `{"urls":["none"],"ignoreInvalidURLs":false}`, "", "body.urls.0"},
		{"no valid URL", batch, `{"urls":["none"]}`, "", "no valid URL"},
		{"append", batch, `{"urls":["https://example.com/"],"appendToId":"x"}`, "", "appendToId"},
		{"map", site, `{"url":"https://example.com/","search":"a","limit":7,"includeSubdomains":false}`, `{"url":"https://example.com/","search_query":"a","top_n":7,"include_subdomain":false,"exclude_urls":["/**?**"]}`, ""},
		{"map with queries", site, `{"url":"https://example.com/","ignoreQueryParameters":false}`, `{"url":"https://example.com/","top_n":5000,"include_subdomain":true}`, ""},
		{"map of a sitemap", site, `{"url":"https://example.com/","sitemap":"only"}`, "", "sitemap"},
		{"map from a place", site, `{"url":"https://example.com/","location":{"country":"DE"}}`, "", "location"},
		{"search", search, `{"query":"a","sources":["web"],"toolDetail":"compact","domainTools":false}`, `{"query":"a","limit":5}`, ""},
		{"search with pages", search, `{"query":"a","scrapeOptions":{"formats":["markdown"]}}`, `"scrape_options":{"formats":["markdown"]}`, ""},
		{"search without formats", search, `{"query":"a","scrapeOptions":{}}`, `{"query":"a","limit":5}`, ""},
		{"providers", search, `{"query":"a","sources":["web","alexandria"]}`, "", "This endpoint is not enabled for this team."},
		{"news", search, `{"query":"a","sources":[{"type":"news"}]}`, "", "news"},
		{"many results", search, `{"query":"a","limit":100}`, "", "body.limit"},
		{"categories", search, `{"query":"a","categories":["github"]}`, "", "includeDomains"},
		{"time", search, `{"query":"a","tbs":"qdr:d"}`, "", "tbs"},
		{"links of results", search, `{"query":"a","scrapeOptions":{"formats":["links"]}}`, "", "scrapeOptions.formats"},
		{"extract", extract, `{"urls":["https://example.com/"],"prompt":"the title"}`, `"llm_extract":{"prompt":"the title"}`, ""},
		{"extract of a site", extract, `{"urls":["https://example.com/*"],"prompt":"a"}`, "", "/v2/crawl"},
		{"extract of two", extract, `{"urls":["https://a.example/","https://b.example/"],"prompt":"a"}`, "", "/v2/agent"},
		{"extract with a search", extract, `{"urls":["https://a.example/"],"prompt":"a","enableWebSearch":true}`, "", "/v2/agent"},
		{"agent", agent, `{"prompt":"a","urls":["https://example.com/"],"schema":{"title":""}}`, `{"task":"a\n\nhttps://example.com/","json_format":{"title":""}}`, ""},
		{"an agent's model", agent, `{"prompt":"a","model":"spark-2"}`, "", "model"},
		{"monitor", monitor, `{` + pages + `,"goal":"The price changes"}`, `{"query":"The price changes: https://example.com/","frequency":"every day"`, ""},
		{"monitor by email", monitor, `{` + pages + `,"notification":{"email":{"enabled":true,"recipients":["a@example.com"],"includeDiffs":true}}}`, `"channels":[{"type":"email","target":"a@example.com"`, ""},
		{"monitor by webhook", monitor, `{` + pages + `,"webhook":{"url":"https://example.com/","events":["monitor.check.completed"]}}`, `"events":["completed","failed"]`, ""},
		{"other events", monitor, `{` + pages + `,"webhook":{"url":"https://example.com/","events":["monitor.page"]}}`, "", "monitor.check.completed"},
		{"a place's time", monitor, `{"name":"n","schedule":{"cron":"0 9 * * *","timezone":"Europe/Berlin"},"targets":[{"type":"scrape","urls":["https://example.com/"]}]}`, "", "UTC"},
		{"a monitor of a site", monitor, `{"name":"n","targets":[{"type":"crawl","url":"https://example.com/"}]}`, "", "targets.0.type"},
		{"a monitor of nothing", monitor, `{"name":"n"}`, "", "urls of pages"},
		{"a monitor's retention", monitor, `{` + pages + `,"retentionDays":7}`, "", "retentionDays"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := tt.do(tt.in)
			if tt.refusal != "" {
				if got := said(t, err); !strings.Contains(got, tt.refusal) {
					t.Errorf("got %q, want %q in it", got, tt.refusal)
				}
				return
			}
			text, _ := json.Marshal(out)
			if err != nil || !strings.Contains(string(text), tt.want) {
				t.Errorf("got %s, %v, want %s", text, err, tt.want)
			}
		})
	}
}

// The metadata of a job keeps which outputs its documents have.
func TestOutputsAreKept(t *testing.T) {
	t.Parallel()
	note := wants{"markdown", "rawHtml"}.note()
	var text string
	if err := json.Unmarshal(note[formatsKey], &text); err != nil {
		t.Fatal(err)
	}
	if got := wantsOf(map[string]string{formatsKey: text}); !slices.Equal(got, wants{"markdown", "rawHtml"}) {
		t.Errorf("got %q", got)
	}
	if got := wantsOf(nil); !got.has("markdown") {
		t.Errorf("got %q for another job", got)
	}
}

// FuzzRead: any JSON is read or refused, and what is read is accepted again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"url":"https://example.com/","formats":["markdown",{"type":"json","schema":{"a":null}}]}`, `{"formats":[[]],"webhook":7}`, `{"urls":["a"],"parsers":null}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if edgewire.CheckJSON(text) != nil {
			return
		}
		r, err := read[scrapeRequest](edgewire.NewBody(text))
		if err != nil {
			return
		}
		_, _, _ = r.scrape()
		var c cleaner
		if again := c.object(text, nil, nil); edgewire.CheckJSON(again) != nil {
			t.Fatalf("%s: got %s, which is no JSON", text, again)
		}
	})
}
