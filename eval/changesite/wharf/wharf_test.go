package wharf_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
	"github.com/turnpike-edge/turnpike/eval/changesite/wharf"
)

const looks, seeds = 3, 3

func TestSite(t *testing.T) {
	t.Parallel()
	site := wharf.New()
	edits, dataEdits, schemas, paths := 0, 0, 0, map[string]bool{}
	for _, p := range site.Pages {
		edits += len(p.Edits)
		dataEdits += len(p.DataEdits)
		paths[p.Path] = true
		if (p.Schema == "") != (p.Data == nil) {
			t.Errorf("%s: has one of schema and data", p.Path)
		}
		if p.Schema != "" {
			schemas++
			if !json.Valid([]byte(p.Schema)) {
				t.Errorf("%s: the schema is not JSON", p.Path)
			}
		}
		for run, what := range p.DataEdits {
			if p.Edits[run] == "" {
				t.Errorf("%s: data edit %q of run %d is not on the page", p.Path, what, run)
			}
		}
		for run := range p.Edits {
			if run < 1 || run > site.Runs {
				t.Errorf("%s: edit in run %d, want 1 to %d", p.Path, run, site.Runs)
			}
		}
	}
	if len(paths) != 10 || site.Runs != 40 {
		t.Errorf("got %d pages of %d runs, want 10 of 40", len(paths), site.Runs)
	}
	if edits < 42 || edits > 50 {
		t.Errorf("got %d edits, want 42 to 50", edits)
	}
	if dataEdits < 8 || schemas < 4 {
		t.Errorf("got %d data edits on %d pages, want at least 8 on 4", dataEdits, schemas)
	}
	t.Logf("%d edits, %d of data on %d pages", edits, dataEdits, schemas)
}

var unfilled = regexp.MustCompile(`\{[a-z_]+\}`)

func TestPages(t *testing.T) {
	t.Parallel()
	again := wharf.New()
	for i, p := range wharf.New().Pages {
		for run := range 41 {
			body := p.Body(run, 0, 1)
			if body != again.Pages[i].Body(run, 0, 1) {
				t.Errorf("%s run %d: the same seed gives other bytes", p.Path, run)
			}
			if !utf8.ValidString(body) || len(body) < 4_000 || len(body) > 12_288 {
				t.Errorf("%s run %d: got %d bytes, valid %v, want 4,000 to 12,288 of UTF-8", p.Path, run, len(body), utf8.ValidString(body))
			}
			if name := unfilled.FindString(body); name != "" {
				t.Errorf("%s run %d: %s is not filled in", p.Path, run, name)
			}
			if open := unbalanced(body); open != "" {
				t.Errorf("%s run %d: %s", p.Path, run, open)
			}
			if body == p.Body(run, 1, 1) {
				t.Errorf("%s run %d: two looks are the same", p.Path, run)
			}
			if run > 0 && p.Edits[run] == "" && body == p.Body(run-1, 0, 1) {
				t.Errorf("%s run %d: the same as the run before, without noise", p.Path, run)
			}
		}
	}
}

// An edit is a text that each answer of its run has and none of the run before, or the other way about; so noise never says it.
func TestEdits(t *testing.T) {
	t.Parallel()
	for _, p := range wharf.New().Pages {
		for run, what := range p.Edits {
			before, after := texts(p, run-1), texts(p, run)
			if !tells(before, after) && !tells(after, before) {
				t.Errorf("%s run %d: no text tells the edit %q", p.Path, run, what)
			}
		}
	}
}

// Without an edit, no text of the content comes or goes for good.
func TestNoise(t *testing.T) {
	t.Parallel()
	for _, p := range wharf.New().Pages {
		for run := 1; run <= 40; run++ {
			before, after := texts(p, run-1), texts(p, run)
			if p.Edits[run] == "" && (tells(before, after) || tells(after, before)) {
				t.Errorf("%s run %d: the content changed without an edit", p.Path, run)
			}
		}
	}
}

// What would be extracted is written in the page.
func TestData(t *testing.T) {
	t.Parallel()
	for _, p := range wharf.New().Pages {
		for run := 0; p.Data != nil && run <= 40; run++ {
			var written strings.Builder
			for text := range texts(p, run)[0] {
				_, _ = written.WriteString(text + "\n")
			}
			for _, value := range values(p.Data(p.New(run, 0, 0))) {
				if !strings.Contains(written.String(), value) {
					t.Errorf("%s run %d: %q is not on the page", p.Path, run, value)
				}
			}
		}
	}
}

// values are all that is in the fields, as they print.
func values(of any) []string {
	var all []string
	switch of := of.(type) {
	case map[string]any:
		for _, value := range of {
			all = append(all, values(value)...)
		}
	case []any:
		for _, value := range of {
			all = append(all, values(value)...)
		}
	default:
		all = append(all, fmt.Sprint(of))
	}
	return all
}

// tells is whether a text is in all answers of after and in none of before. Clocks and dates of today are left out.
func tells(before, after []map[string]bool) bool {
	for text := range after[0] {
		all, none := true, true
		for i := range after {
			all = all && after[i][text]
			none = none && !before[i][text]
		}
		if all && none && !dated.MatchString(text) {
			return true
		}
	}
	return false
}

var dated = regexp.MustCompile(`Heute ist der|You are viewing this notice at`)

// texts are the texts of the content in some answers of a run.
func texts(p *cs.Page, run int) []map[string]bool {
	var all []map[string]bool
	for seed := range uint64(seeds) {
		for look := range looks {
			doc, err := html.Parse(strings.NewReader(p.Body(run, look, seed)))
			if err != nil {
				panic(err) // a string is always read
			}
			found := map[string]bool{}
			collect(content(doc), found)
			all = append(all, found)
		}
	}
	return all
}

// content is the main element, or the body of a page without one.
func content(doc *html.Node) *html.Node {
	var body *html.Node
	for node := range doc.Descendants() {
		switch node.Data {
		case "main":
			return node
		case "body":
			body = node
		}
	}
	return body
}

func collect(node *html.Node, found map[string]bool) {
	if node.Type == html.ElementNode && (node.Data == "script" || node.Data == "style") {
		return
	}
	if text := strings.TrimSpace(node.Data); node.Type == html.TextNode && text != "" {
		found[text] = true
	}
	for child := range node.ChildNodes() {
		collect(child, found)
	}
}

// unbalanced says which tag is not closed where it should be.
func unbalanced(body string) string {
	void := map[string]bool{"meta": true, "link": true, "img": true, "br": true, "input": true, "base": true}
	var open []string
	for z := html.NewTokenizer(strings.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				return "not closed: " + open[len(open)-1]
			}
			return ""
		case html.StartTagToken:
			if tag := z.Token().Data; !void[tag] {
				open = append(open, tag)
			}
		case html.EndTagToken:
			tag := z.Token().Data
			if len(open) == 0 || open[len(open)-1] != tag {
				return "closed out of turn: " + tag + " in " + strings.Join(open, " ")
			}
			open = open[:len(open)-1]
		case html.TextToken, html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}
