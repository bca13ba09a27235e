package feeds

import (
	"bytes"
	"context"
	"strings"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	entriesMax = 2000
	// bytesMax is how much HTML the entries of a feed may have together after their references are made absolute.
	bytesMax = 8 << 20
	// entryBytesMax is the greatest length of an entry's content.
	entryBytesMax = 4 << 20
)

// Feed is the content of an RSS, Atom or JSON feed.
type Feed struct {
	Title       string
	Description string
	URL         string // of the site
	Entries     []Entry
}

// Entry is one entry of a feed, in the feed's order.
type Entry struct {
	ID        string
	URL       string
	Title     string
	Author    string
	Published time.Time // zero where not given
	Updated   time.Time // zero where not given
	Summary   string    // text
	Content   string    // HTML
}

// Draft is a feed as it was read.
type Draft struct {
	Feed

	// Language is a BCP 47 tag, as written; empty if there is none.
	Language string
	// Icon is the URL of the feed's image; empty if there is none.
	Icon string
	// Simplified reports that the markup of an entry was too deep or too tangled to be kept; the text is complete.
	Simplified bool
	entries    []entryDraft
}

// entryDraft is an entry as written.
type entryDraft struct {
	Entry

	base string // base of the references in its content, if not the entry's URL
	// summary is HTML if summaryIsHTML, else text.
	summary       string
	summaryIsHTML bool
	published     string
	updated       string
	attachments   []attachment
}

// attachment is a file attached to an entry.
type attachment struct{ url, mediaType string }

// LooksLike detects feeds by how they begin, since many are served as XML, JSON or even HTML.
func LooksLike(mediaType string, body []byte) bool {
	if strings.HasSuffix(mediaType, "json") {
		return bytes.Contains(body[:min(len(body), 16<<10)], []byte("jsonfeed.org/version/"))
	}
	head := markup.Start(body)
	for strings.HasPrefix(head, "<!DOCTYPE") || strings.HasPrefix(head, "<!doctype") {
		declaration, rest, ok := strings.Cut(head, ">")
		if !ok || strings.Contains(strings.ToLower(declaration), "html") {
			return false
		}
		head = markup.Start([]byte(rest))
	}
	if mediaType == "application/rss+xml" || mediaType == "application/atom+xml" {
		return true
	}
	root, _, _ := strings.Cut(strings.TrimPrefix(head, "<"), ">")
	name, _, _ := strings.Cut(strings.TrimSpace(root), " ")
	switch _, local, ok := strings.Cut(name, ":"); {
	case !strings.HasPrefix(head, "<"):
		return false
	case name == "rss":
		return true
	case name == "feed", ok && local == "feed":
		return strings.Contains(root, "Atom") || strings.Contains(root, "purl.org/atom")
	case name == "RDF", ok && local == "RDF":
		return strings.Contains(root, "purl.org/rss/") || strings.Contains(root, "netscape.com/rdf/simple") || strings.Contains(head, "<channel")
	}
	return false
}

// Read reads the body of a feed, or returns nil if it is none. References are resolved against base; nil if it is not
// known. nodesMax bounds the tree of each entry. The error is the context's.
func Read(ctx context.Context, mediaType string, body []byte, base *whatwg.Url, nodesMax int) (*Draft, error) {
	var draft *Draft
	if strings.HasSuffix(mediaType, "json") {
		draft = readJSONFeed(body)
	} else {
		draft = readXMLFeed(body)
	}
	if draft == nil {
		return nil, nil
	}
	f := &reader{ctx: ctx, base: base, nodesMax: nodesMax, left: bytesMax}
	if err := f.prepare(draft); err != nil {
		return nil, err
	}
	draft.Simplified = f.simplified
	return draft, nil
}

// reader makes the entries of a feed fit for use.
type reader struct {
	ctx        context.Context //nolint:containedctx // lives as long as one call
	base       *whatwg.Url
	nodesMax   int
	left       int
	simplified bool
}

// prepare cleans and bounds everything in the feed.
func (f *reader) prepare(draft *Draft) error {
	draft.Title, draft.Description = clip.Bytes(dom.Fold(draft.Title), metadata.FieldBytesMax), clip.Bytes(textOfHTML(draft.Description), metadata.FieldBytesMax)
	draft.URL = webURL(draft.URL, f.base)
	draft.Icon, draft.Language = webURL(draft.Icon, f.base), metadata.LanguageTag(draft.Language)
	for i := range draft.entries {
		if i%16 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		if f.left <= 0 {
			draft.entries = draft.entries[:i]
			break
		}
		f.entry(&draft.entries[i])
		draft.Entries = append(draft.Entries, draft.entries[i].Entry)
	}
	return nil
}

func (f *reader) entry(e *entryDraft) {
	base := f.base
	e.URL = webURL(e.URL, base)
	for _, nearer := range []string{e.URL, e.base} {
		if nearer == "" {
			continue
		}
		if base == nil {
			base, _ = whatwg.Parse(nearer)
		} else if u, err := base.Parse(nearer); err == nil {
			base = u
		}
	}
	e.Title, e.Author = clip.Bytes(textOfHTML(e.Title), metadata.FieldBytesMax), clip.Bytes(textOfHTML(e.Author), metadata.FieldBytesMax)
	e.Published, _ = metadata.ParseDate(e.published)
	e.Updated, _ = metadata.ParseDate(e.updated)
	if e.Content == "" && e.summaryIsHTML {
		e.Content = e.summary
	}
	e.Content = f.fragment(e.Content, base)
	e.Summary = e.summary
	if e.summaryIsHTML {
		e.Summary = textOfHTML(e.summary)
	}
	e.Summary = clip.Bytes(strings.TrimSpace(e.Summary), entryBytesMax)
	f.left -= len(e.Summary)
	for i := range e.attachments {
		e.attachments[i].url = webURL(e.attachments[i].url, base)
	}
}

// webURL resolves a reference to a web page; "" for all others.
func webURL(ref string, base *whatwg.Url) string {
	if ref = strings.TrimSpace(ref); ref == "" {
		return ""
	}
	return links.Against(base).Web(ref)
}

// fragment makes the HTML of an entry fit for a page: complete, with absolute references, without scripts.
func (f *reader) fragment(content string, base *whatwg.Url) string {
	if content = strings.TrimSpace(content); content == "" {
		return ""
	}
	content = clip.Bytes(content, entryBytesMax)
	root, simplified, err := markup.Parse([]byte(content), f.nodesMax)
	f.simplified = f.simplified || simplified
	if err != nil {
		f.simplified = true
		text := textOfHTML(content)
		f.left -= len(text)
		return html.EscapeString(text)
	}
	var doomed []*html.Node
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Script, atom.Style, atom.Base, atom.Template, atom.Meta, atom.Link, atom.Title:
			doomed = append(doomed, n)
		}
	}
	for _, n := range doomed {
		n.Parent.RemoveChild(n)
	}
	if links.Against(base).MakeAbsolute(root, 0) != nil {
		return ""
	}
	var out strings.Builder
	for n := range root.Descendants() {
		if n.DataAtom != atom.Body {
			continue
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			if html.Render(&out, child) != nil {
				return ""
			}
		}
		break
	}
	f.left -= out.Len()
	return strings.TrimSpace(out.String())
}

// textOfHTML is the text of a string that may be HTML, its white space folded.
func textOfHTML(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return dom.Fold(s)
	}
	z := html.NewTokenizer(strings.NewReader(s))
	var out strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return dom.Fold(out.String())
		case html.TextToken:
			out.Write(z.Text())
		case html.StartTagToken:
			name, _ := z.TagName()
			if tag := atom.Lookup(name); tag == atom.Script || tag == atom.Style {
				z.Next()
			}
			out.WriteByte(' ')
		case html.EndTagToken, html.SelfClosingTagToken:
			out.WriteByte(' ')
		}
	}
}
