package page

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// A stored job must decode to the same job.
func TestOptionsSurviveStorage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`,
		`{"formats":["json","text"],"remove_css_selectors":"none","parser":{"id":"p"},"links_on_page":{"absolute_links":false}}`,
		`{"remove_css_selectors":["p"],"parser":"@a/b","wait_before_scraping":5,"actions":[{"type":"wait","milliseconds":0}]}`,
		`{"llm_extract":{"schema":{"type":"object","properties":{"b":{},"a":{}}}},"screenshot":{"full_page":true}}`,
	} {
		var o, again Options
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		stored, err := json.Marshal(o)
		if err != nil || json.Unmarshal(stored, &again) != nil || !reflect.DeepEqual(again, o) {
			t.Errorf("%s: got %s, %v, want the same", text, stored, err)
		}
	}
}

func TestParserID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``: "", `null`: "", `"@a/b"`: "@a/b", `{"id":"p"}`: "p", `7`: "", `{"id":7}`: "", `{}`: "", `["p"]`: "",
	} {
		if got := ParserInput(text).ID(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestFaultsMoveToTheirURLs(t *testing.T) {
	t.Parallel()
	inItems := func(i int) []any { return []any{"body", "items", 1000 + i, "url"} }
	parser := problem.BodyFault("parser", "is none")
	got := problem.From(AtURLs(problem.Validation(parser, URLFault(7, "is none")), inItems))
	const detail = "The request is not valid: body.parser: is none; body.items.1007.url: is none."
	if got.Code != problem.ValidationError || got.Detail != detail {
		t.Errorf("got %s %q, want %q", got.Code, got.Detail, detail)
	}
	blocked := problem.New(problem.BlockedAddress, "Not at a public address.")
	blocked.Metadata = map[string]any{"reason": "blocked_port", "errors": []problem.Fault{URLFault(0, "is blocked")}}
	got = problem.From(AtURLs(blocked, inItems))
	want := []problem.Fault{{Loc: inItems(0), Msg: "is blocked", Type: problem.FaultInvalid}}
	if got.Code != problem.BlockedAddress || got.Detail != blocked.Detail || got.Metadata["reason"] != "blocked_port" || !reflect.DeepEqual(got.Metadata["errors"], want) {
		t.Errorf("got %+v, want its fault moved and nothing else", got)
	}
	if first := blocked.Metadata["errors"].([]problem.Fault)[0]; first.Loc[1] != urlsField {
		t.Errorf("got %v, want what was given left alone", first)
	}
	for _, err := range []error{nil, errors.New("x"), problem.New(problem.Overloaded, "busy")} {
		if got := AtURLs(err, inItems); !errors.Is(got, err) {
			t.Errorf("got %v, want %v", got, err)
		}
	}
}

// Places of faults in options get the prefix of the field that holds them. Those of URLs and other fields stay.
func TestFaultsOfOptionsAreMoved(t *testing.T) {
	t.Parallel()
	deep := problem.Fault{Loc: []any{"body", "formats", 2}, Msg: "is none", Type: problem.FaultInvalid}
	elsewhere := problem.Fault{Loc: []any{"query", "x"}, Msg: "is none", Type: problem.FaultInvalid}
	err := UnderField(problem.Validation(problem.BodyFault("parser", "is none"), deep, URLFault(0, "is none"), elsewhere), "scrape_options")
	got := problem.From(AtURLs(err, func(int) []any { return []any{"body", "start_url"} }))
	const detail = "The request is not valid: body.scrape_options.parser: is none; body.scrape_options.formats.2: is none; body.start_url: is none; query.x: is none."
	if got.Code != problem.ValidationError || got.Detail != detail || len(deep.Loc) != 3 {
		t.Errorf("got %s %q, want %q", got.Code, got.Detail, detail)
	}
	if UnderField(nil, "x") != nil {
		t.Error("got an error of none")
	}
}
