package scrapes

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

func TestPlanDefaults(t *testing.T) {
	t.Parallel()
	p, err := (&Request{URL: "HTTP://Example.com"}).plan()
	if err != nil {
		t.Fatal(err)
	}
	if p.url.String() != "http://example.com/" || p.render != page.RenderAuto || p.links != nil || len(p.metadata) != 0 ||
		!slices.Equal(p.formats, []page.Format{page.FormatHTML, page.FormatMarkdown}) || p.options.RemoveSelectors != nil {
		t.Errorf("got %+v", p)
	}
}

// Faults of the request are reported before missing engines, since the client can fix them.
func TestPlanReportsFaultsFirst(t *testing.T) {
	t.Parallel()
	_, err := (&Request{URL: "nonsense", Options: page.Options{Formats: []page.Format{page.FormatScreenshot}}}).plan()
	if e, ok := errors.AsType[*problem.Error](err); !ok || e.Code != problem.ValidationError {
		t.Errorf("got %v, want a validation error", err)
	}
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []string // nil: the default ones
		faulty   bool
	}{
		{"absent", ``, nil, false},
		{"null", `null`, nil, false},
		{"default", `"default"`, nil, false},
		{"none", `"none"`, []string{}, false},
		{"a list", `["p",".a > b"]`, []string{"p", ".a > b"}, false},
		{"an empty list", `[]`, []string{}, false},
		{"a list in a string", `"[\"p\"]"`, []string{"p"}, false},
		{"null in a string", `"null"`, nil, true},
		{"another word", `"some"`, nil, true},
		{"a number in a list", `[1]`, nil, true},
		{"not CSS", `["p["]`, nil, true},
		{"an empty selector", `[""]`, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s page.SelectorsInput
			if tt.in != "" {
				if err := json.Unmarshal([]byte(tt.in), &s); err != nil {
					t.Fatal(err)
				}
			}
			got, faults := readSelectors(s)
			if (len(faults) > 0) != tt.faulty || (got == nil) != (tt.want == nil) || !slices.Equal(got, tt.want) {
				t.Errorf("got %v, %v, want %v", got, faults, tt.want)
			}
		})
	}
}

func FuzzRequestPlan(f *testing.F) {
	for _, seed := range []string{
		`{"url_to_scrape":"https://example.com/","remove_css_selectors":"[\"p\"]","metadata":{"a":1}}`,
		`{"url_to_scrape":"http://[::1]:80/%zz","links_on_page":{"include_links":["/**?a=*"]}}`,
		`{"url_to_scrape":"http://2130706433/","actions":[{"type":"click","selector":"a:not("}],"parser":{"id":1}}`,
		`{"url_to_scrape":"x","country":"de","llm_extract":{"prompt":"p"},"remove_class_names":["a b"]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var r Request
		if json.Unmarshal(body, &r) != nil {
			return
		}
		p, err := r.plan()
		if err != nil {
			if _, ok := errors.AsType[*problem.Error](err); !ok {
				t.Fatalf("got %T, want a problem", err)
			}
			return
		}
		if p.url.IsZero() || len(p.formats) == 0 {
			t.Fatalf("got %+v", p)
		}
		if selectors := p.options.RemoveSelectors; selectors != nil && extract.CheckSelectors(selectors) != nil {
			t.Fatalf("got selectors %v that are none", selectors)
		}
		if _, err := json.Marshal(&r); err != nil {
			t.Fatalf("a request that was accepted cannot be stored: %v", err)
		}
	})
}

func TestCountries(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{"DE": true, "us": true, "RANDOM": true, "random": true, "XX": false, "D": false, " D": false, "E ": false, "DEU": false, "": false} {
		if got := isCountry(code); got != want {
			t.Errorf("%q: got %t, want %t", code, got, want)
		}
	}
}
