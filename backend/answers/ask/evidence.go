package ask

import (
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	// evidenceBytesMax is how much of each form of a source is read.
	evidenceBytesMax = 8 << 20
	evidenceDepthMax = 24
)

// Statements are the parts of a source that are not running text: properties of its structured data as "name: value",
// rows of tables with " | " between cells, links to email addresses and telephone numbers, and the data in its head. A
// Quote of structured data is taken from them.
func Statements(source *Source) []string {
	var out []string
	if source.Title != "" {
		out = append(out, "title: "+source.Title)
	}
	if len(source.JSON) > 0 {
		if value, err := jsonschema.Parse(source.JSON); err == nil {
			out = jsonStatements(out, "", value, 0)
		}
	}
	d := source.Document
	if d == nil {
		return out
	}
	m := d.Metadata
	for _, pair := range [][2]string{
		{"title", m.Title},
		{"description", m.Description},
		{"author", m.Author},
		{"published", m.PublishedAt},
		{"modified", m.ModifiedAt},
		{"site", m.SiteName},
		{"language", m.Language},
		{"canonical", m.CanonicalURL},
		{"image", m.Image},
	} {
		if pair[1] != "" {
			out = append(out, pair[0]+": "+pair[1])
		}
	}
	for _, link := range d.Links {
		out = append(out, "link: "+link.URL)
	}
	if d.Structured == nil {
		return out
	}
	for _, list := range [][]*extract.Item{d.Structured.JSONLD, d.Structured.Microdata, d.Structured.RDFa} {
		for _, item := range list {
			out = itemStatements(out, item, 0)
		}
	}
	for _, table := range d.Structured.Tables {
		for _, row := range table.Rows {
			out = append(out, strings.Join(row, " | "))
		}
	}
	return out
}

// statementsMax is how many statements a source may have.
const statementsMax = 50_000

func itemStatements(out []string, item *extract.Item, depth int) []string {
	if depth > evidenceDepthMax || len(out) > statementsMax {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(item.Properties)) {
		for _, value := range item.Properties[name] {
			if inner, ok := value.(*extract.Item); ok {
				out = itemStatements(out, inner, depth+1)
			} else {
				out = append(out, Statement(name, value))
			}
		}
	}
	return out
}

// jsonStatements recurses as deep as jsonschema.Parse allows values to nest.
func jsonStatements(out []string, name string, value any, depth int) []string {
	if len(out) > statementsMax {
		return out
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = jsonStatements(out, key, v[key], depth+1)
		}
	case []any:
		for _, item := range v {
			out = jsonStatements(out, name, item, depth+1)
		}
	default:
		out = append(out, Statement(name, v))
	}
	return out
}

// Statement is how structured data states a value: "price: 12.50".
func Statement(name string, value any) string {
	switch v := value.(type) {
	case string:
		return name + ": " + v
	case bool:
		if v {
			return name + ": true"
		}
		return name + ": false"
	case json.Number:
		return name + ": " + v.String()
	case nil:
		return name + ": null"
	}
	return name + ":"
}

// evidence is all text of a source, prepared for searching.
type evidence struct {
	language string
	pieces   []*piece
	// more are pieces that are made only if the earlier ones do not contain a quote.
	more []func() string
}

func newEvidence(source *Source) *evidence {
	e := &evidence{}
	if d := source.Document; d != nil {
		e.language = d.Metadata.Language
		e.pieces = append(e.pieces, newPiece(d.Text), newPiece(d.Markdown))
	}
	statements := source
	e.more = append(e.more, func() string { return strings.Join(Statements(statements), "\n") })
	if d := source.Document; d != nil {
		e.more = append(e.more, func() string { return shownApart(d.HTML) })
	}
	e.more = append(e.more, func() string { return bodyText(statements) })
	if len(source.JSON) > 0 {
		e.pieces = append(e.pieces, newPiece(string(source.JSON)))
	}
	return e
}

// shownApart is the text of a page with white space at each element's start and end, as a style sheet may show it.
func shownApart(page string) string {
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(page))
	for out.Len() < evidenceBytesMax {
		switch tokens.Next() {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			out.Write(tokens.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			out.WriteByte(' ')
		case html.CommentToken, html.DoctypeToken:
		}
	}
	return out.String()
}

// piece is a text that is compared without white space, and with typographic variants unified.
type piece struct {
	text string // with unified punctuation
	// bare is text without white space; at has the offset in text of each 64th byte of bare.
	bare string
	at   []int
}

const stride = 64

func newPiece(s string) *piece {
	if len(s) > evidenceBytesMax {
		s = strings.ToValidUTF8(s[:evidenceBytesMax], "")
	}
	// The marker of a list item is not part of its text.
	p := &piece{text: strings.ReplaceAll(Plain(s), "\n- ", "\n")}
	var bare strings.Builder
	bare.Grow(len(p.text))
	for i, r := range p.text {
		if unicode.IsSpace(r) {
			continue
		}
		for len(p.at)*stride <= bare.Len() {
			p.at = append(p.at, i)
		}
		bare.WriteString(p.text[i : i+utf8.RuneLen(r)])
	}
	p.bare = bare.String()
	return p
}

// place is the offset in text of byte n of bare.
func (p *piece) place(n int) int {
	at := min(n/stride, len(p.at)-1)
	if at < 0 {
		return 0
	}
	// The anchor of a stride is the first character that begins at or after it.
	i := p.at[at]
	passed := at * stride
	for passed < len(p.bare) && !utf8.RuneStart(p.bare[passed]) {
		passed++
	}
	if passed > n {
		return i
	}
	for i < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[i:])
		if !unicode.IsSpace(r) {
			if passed >= n {
				return i
			}
			passed += size
		}
		i += size
	}
	return len(p.text)
}

// span is a part of a piece.
type span struct {
	piece      *piece
	start, end int // of piece.text
}

func (s span) text() string { return s.piece.text[s.start:s.end] }

// grow makes the next piece, and reports whether there was one.
func (e *evidence) grow() bool {
	if len(e.more) == 0 {
		return false
	}
	e.pieces = append(e.pieces, newPiece(e.more[0]()))
	e.more = e.more[1:]
	return true
}

// placesMax is how many occurrences of a quote are checked.
const placesMax = 50

// find returns the occurrences of a quote as whole words.
func (e *evidence) find(quote string) []span {
	wanted := bareOf(Plain(quote))
	if wanted == "" {
		return nil
	}
	var out []span
	for _, p := range e.pieces {
		for from := 0; len(out) < placesMax; {
			i := strings.Index(p.bare[from:], wanted)
			if i < 0 {
				break
			}
			begin := from + i
			from = begin + 1
			s := span{p, p.place(begin), 0}
			_, size := utf8.DecodeLastRuneInString(wanted)
			last := p.place(begin + len(wanted) - size)
			s.end = last + size
			if s.end <= len(p.text) && isWhole(p.text, s.start, s.end) {
				out = append(out, s)
			}
		}
	}
	return out
}

func bareOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// isWhole reports whether a part of text does not begin or end within a word or number.
func isWhole(text string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(text[start:end])
	last, _ := utf8.DecodeLastRuneInString(text[start:end])
	before, size := utf8.DecodeLastRuneInString(text[:start])
	behind, next := utf8.DecodeRuneInString(text[end:])
	if isWordRune(first) && start > 0 && isWordRune(before) || isWordRune(last) && end < len(text) && isWordRune(behind) {
		return false
	}
	// "2,345" is not part of "12,345", nor "12" of "12.5".
	if unicode.IsDigit(first) && start > size && (before == '.' || before == ',' || before == '\'') && isDigitByte(text[start-size-1]) {
		return false
	}
	if unicode.IsDigit(last) && (behind == '.' || behind == ',' || behind == '\'') && end+next < len(text) && isDigitByte(text[end+next]) {
		return false
	}
	return true
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}
func isDigitByte(b byte) bool { return b >= '0' && b <= '9' }

// Plain unifies typographic variants of quotation marks, dashes and spaces, and removes invisible characters.
func Plain(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "")
	}
	var out strings.Builder
	out.Grow(len(s))
	for _, r := range s {
		switch r {
		case '‘', '’', '‚', '‛', 'ʼ', '′', '`':
			out.WriteByte('\'')
		case '“', '”', '„', '‟', '«', '»', '″':
			out.WriteByte('"')
		case '‐', '‑', '‒', '–', '—', '―', '−':
			out.WriteByte('-')
		case '\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u200e', '\u200f':
		case '…':
			out.WriteString("...")
		case '\u00a0', '\u2007', '\u2009', '\u202f', '\u2002', '\u2003', '\u200a':
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// fold splits a text into lower-case words without punctuation, for comparing labels.
func fold(s string) []string {
	return strings.FieldsFunc(strings.ToLower(Plain(s)), func(r rune) bool { return !isWordRune(r) })
}

// nearest sorts spans by length, shortest first, which only affects how soon a value is found.
func nearest(spans []span) []span {
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].end-spans[i].start < spans[j].end-spans[j].start })
	return spans
}
