package fill

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// corpusSchema has many fields that most pages lack.
const corpusSchema = `{"type":"object","properties":{"title":{"type":"string"},"author":{"type":"string"},"publish_date":{"type":"string","format":"date"},
	"price":{"type":"number"},"currency":{"type":"string"},"brand":{"type":"string"},"email":{"type":"string"},"phone":{"type":"string"},
	"rating":{"type":"number"},"address":{"type":"string"},"weight_kg":{"type":"number"},"company":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},
	"comments":{"type":"array","items":{"type":"object","properties":{"author":{"type":"string"},"text":{"type":"string"}}}},
	"products":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}}}}}}`

type truthOfPage struct {
	ID, URL, Title, Author string
	Date                   string `json:"publish_date"`
}

func corpus(t *testing.T) []truthOfPage {
	t.Helper()
	data := os.Getenv("TURNPIKE_DATA")
	file, err := os.Open(filepath.Join(data, "wcxb-dev", "ground-truth.jsonl.gz"))
	if data == "" || err != nil {
		t.Skip("set TURNPIKE_DATA to a directory that holds wcxb-dev to read a corpus of real pages")
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []truthOfPage
	lines := bufio.NewScanner(zipped)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var truth truthOfPage
		if err := json.Unmarshal(lines.Bytes(), &truth); err != nil {
			t.Fatal(err)
		}
		out = append(out, truth)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func readPage(t *testing.T, id string) []byte {
	t.Helper()
	file, err := os.Open(filepath.Join(os.Getenv("TURNPIKE_DATA"), "wcxb-dev", "html", id+".html.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(zipped)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// TestCorpus fills a schema from real pages: nothing fails, and no value is invented. Where the true title, author and
// date are known, it counts the correct ones.
func TestCorpus(t *testing.T) {
	t.Parallel()
	pages := corpus(t)
	step := 1
	if os.Getenv("TURNPIKE_FILL_ALL") == "" {
		step = 20
	}
	schema, err := jsonschema.CompileObject([]byte(corpusSchema))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]*tally{"title": {}, "author": {}, "publish_date": {}}
	var slowest time.Duration
	for i := 0; i < len(pages); i += step {
		truth := pages[i]
		body := readPage(t, truth.ID)
		if !bytes.Contains(body, []byte("\xc3")) {
			// For speed there is no charset detection here: text that is not UTF-8 is read as Latin-1.
			body = toUTF8(body)
		}
		document, err := extract.Page(t.Context(), body, extract.Options{BaseURL: truth.URL, Structured: true})
		if err != nil {
			continue
		}
		begin := time.Now()
		answer, err := Fill(t.Context(), schema, extract.Source{URL: truth.URL, MediaType: "text/html", Body: body}, document)
		if err != nil {
			t.Fatalf("%s: %v", truth.ID, err)
		}
		if took := time.Since(begin); took > slowest {
			slowest = took
		}
		var got map[string]any
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatal(err)
		}
		checkInventions(t, truth.ID, body, got)
		for name, want := range map[string]string{"title": truth.Title, "author": truth.Author, "publish_date": truth.Date} {
			count(t, counts[name], truth.ID+" "+name, got[name], want)
		}
		if os.Getenv("TURNPIKE_FILL_SHOW") != "" {
			t.Logf("%s %s", truth.URL, answer)
		}
	}
	for name, c := range counts {
		t.Logf("%s: right %d, other %d, missing %d, unasked %d", name, c.right, c.wrong, c.missing, c.rightlyNull)
	}
	t.Logf("slowest page: %v", slowest)
}

func toUTF8(body []byte) []byte {
	out, err := charmap.Windows1252.NewDecoder().Bytes(body)
	if err != nil || bytes.ContainsRune(body, '’') {
		return body
	}
	return out
}

// count compares loosely: a title may contain the site's name, an author several names.
func count(t *testing.T, c *tally, what string, got any, want string) {
	t.Helper()
	text, _ := got.(string)
	switch {
	case want == "":
		c.rightlyNull++
	case text == "":
		c.missing++
	case strings.Contains(squash(text), squash(want)) || strings.Contains(squash(want), squash(text)):
		c.right++
	default:
		c.wrong++
		t.Logf("%s: got %.80q, want %.80q", what, text, want)
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// checkInventions checks that every text is on the page.
func checkInventions(t *testing.T, id string, body []byte, got map[string]any) {
	t.Helper()
	source := html.UnescapeString(html.UnescapeString(string(body)))
	page := squash(source) + " " + squash(tags.ReplaceAllString(source, " "))
	for _, name := range []string{"author", "brand", "email", "company"} {
		text, _ := got[name].(string)
		for part := range strings.SplitSeq(text, ",") {
			if part != "" && !strings.Contains(page, squash(part)) && !strings.Contains(string(body), `\u`) && !strings.ContainsAny(text, "<") {
				t.Errorf("%s: %s is %q, which the page does not say", id, name, text)
			}
		}
	}
}
