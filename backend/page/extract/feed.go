package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/clip"
)

const (
	feedEntriesMax = 2000
	// feedBytesMax is how much HTML the entries of a feed may have together after their references are made absolute.
	feedBytesMax = 8 << 20
	// entryBytesMax is the greatest length of an entry's content.
	entryBytesMax = 4 << 20
)

// feedDraft is a feed as its reader found it.
type feedDraft struct {
	Feed
	language string
	icon     string
	entries  []entryDraft
}

// entryDraft is an entry as written.
type entryDraft struct {
	FeedEntry
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

// looksLikeFeed detects feeds by how they begin, since many are served as XML, JSON or even HTML.
func looksLikeFeed(mediaType string, body []byte) bool {
	if strings.HasSuffix(mediaType, "json") {
		return bytes.Contains(body[:min(len(body), 16<<10)], []byte("jsonfeed.org/version/"))
	}
	head := start(body)
	for strings.HasPrefix(head, "<!DOCTYPE") || strings.HasPrefix(head, "<!doctype") {
		declaration, rest, ok := strings.Cut(head, ">")
		if !ok || strings.Contains(strings.ToLower(declaration), "html") {
			return false
		}
		head = start([]byte(rest))
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

// readFeed reads a feed, or returns nil if the body is none.
func readFeed(ctx context.Context, source Source, options Options) (*Document, error) {
	var draft *feedDraft
	if strings.HasSuffix(source.MediaType, "json") {
		draft = readJSONFeed(source.Body)
	} else {
		draft = readXMLFeed(source.Body)
	}
	if draft == nil {
		return nil, nil
	}
	plan, err := options.compile()
	if err != nil {
		return nil, err
	}
	f := &feedWriter{ctx: ctx, plan: plan, left: feedBytesMax}
	if err := f.prepare(draft); err != nil {
		return nil, err
	}
	// The feed becomes a page, so that all its outputs are produced like those of pages.
	root, simplified, err := parse(f.page(draft, true), plan.nodesMax)
	if errors.Is(err, ErrTooComplex) {
		simplified = true
		root, _, err = parse(f.page(draft, false), plan.nodesMax)
	}
	if err != nil {
		return nil, err
	}
	document := &Document{Feed: &draft.Feed, Simplified: simplified || f.simplified}
	p := newPage(ctx, plan, root)
	// The entries of a feed are content, whatever would be a page's main content.
	plan.mainContent = false
	if err := p.run(document, p.readMetadata, p.makeAbsolute, p.readStructured, p.readLinks, p.remove, p.render); err != nil {
		return nil, err
	}
	for i := range document.Links {
		document.Links[i].Scope = ScopeContent
	}
	m := &document.Metadata
	m.Title, m.Description, m.Language = draft.Title, draft.Description, languageTag.FindString(draft.language)
	m.SiteName, m.Image = draft.Title, f.absolute(draft.icon, plan.base)
	return document, nil
}

// feedWriter writes a feed as an HTML page.
type feedWriter struct {
	ctx        context.Context //nolint:containedctx // lives as long as one call
	plan       *plan
	out        bytes.Buffer
	left       int
	simplified bool
}

// prepare cleans and bounds everything in the feed.
func (f *feedWriter) prepare(draft *feedDraft) error {
	draft.Title, draft.Description = clip.Bytes(fold(draft.Title), metadataBytesMax), clip.Bytes(textOfHTML(draft.Description), metadataBytesMax)
	draft.URL = f.absolute(draft.URL, f.plan.base)
	for i := range draft.entries {
		if i%16 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		if f.left <= 0 {
			draft.entries = draft.entries[:i]
			break
		}
		f.entry(&draft.entries[i])
		draft.Entries = append(draft.Entries, draft.entries[i].FeedEntry)
	}
	return nil
}

// page writes the feed as HTML; without contents it leaves out the entries' contents, which are too complex together.
func (f *feedWriter) page(draft *feedDraft, contents bool) []byte {
	f.out.Reset()
	if draft.Title != "" {
		fmt.Fprintf(&f.out, "<h1>%s</h1>\n", linked(draft.URL, draft.Title))
	} else if draft.URL != "" {
		fmt.Fprintf(&f.out, "<p>%s</p>\n", linked(draft.URL, draft.URL))
	}
	if draft.Description != "" && draft.Description != draft.Title {
		fmt.Fprintf(&f.out, "<p>%s</p>\n", html.EscapeString(draft.Description))
	}
	for i := range draft.entries {
		f.writeEntry(&draft.entries[i], contents)
	}
	return f.out.Bytes()
}

func (f *feedWriter) entry(e *entryDraft) {
	base := f.plan.base
	e.URL = f.absolute(e.URL, base)
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
	e.Title, e.Author = clip.Bytes(textOfHTML(e.Title), metadataBytesMax), clip.Bytes(textOfHTML(e.Author), metadataBytesMax)
	e.Published, _ = parseDate(e.published)
	e.Updated, _ = parseDate(e.updated)
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
		e.attachments[i].url = f.absolute(e.attachments[i].url, base)
	}
}

func (f *feedWriter) writeEntry(e *entryDraft, contents bool) {
	title := e.Title
	if title == "" {
		title = e.URL
	}
	if title == "" {
		title = "Untitled"
	}
	fmt.Fprintf(&f.out, "<article>\n<h2>%s</h2>\n", linked(e.URL, title))
	var byline []string
	if when := e.Published; !when.IsZero() || !e.Updated.IsZero() {
		if when.IsZero() {
			when = e.Updated
		}
		byline = append(byline, `<time datetime="`+when.Format(time.RFC3339)+`">`+when.Format(time.DateOnly)+"</time>")
	}
	if e.Author != "" {
		byline = append(byline, html.EscapeString(e.Author))
	}
	if len(byline) > 0 {
		fmt.Fprintf(&f.out, "<p>%s</p>\n", strings.Join(byline, " · "))
	}
	switch {
	case e.Content != "" && contents:
		fmt.Fprintf(&f.out, "<div>%s</div>\n", e.Content)
	case e.Summary != "":
		for paragraph := range strings.SplitSeq(e.Summary, "\n\n") {
			fmt.Fprintf(&f.out, "<p>%s</p>\n", html.EscapeString(paragraph))
		}
	}
	for _, a := range e.attachments {
		if a.url != "" {
			fmt.Fprintf(&f.out, "<p>%s</p>\n", linked(a.url, strings.TrimSpace("Attachment "+a.mediaType)))
		}
	}
	f.out.WriteString("</article>\n")
}

// linked is a link to an address, or only its text if there is none.
func linked(address, text string) string {
	if address == "" {
		return html.EscapeString(text)
	}
	return `<a href="` + html.EscapeString(address) + `">` + html.EscapeString(text) + "</a>"
}

// absolute resolves a reference to a web page; "" for all others.
func (f *feedWriter) absolute(ref string, base *whatwg.Url) string {
	if ref = strings.TrimSpace(ref); ref == "" {
		return ""
	}
	p := &page{base: base}
	return p.webURL(ref)
}

// fragment makes the HTML of an entry fit for a page: complete, with absolute references, without scripts.
func (f *feedWriter) fragment(content string, base *whatwg.Url) string {
	if content = strings.TrimSpace(content); content == "" {
		return ""
	}
	content = clip.Bytes(content, entryBytesMax)
	root, simplified, err := parse([]byte(content), f.plan.nodesMax)
	f.simplified = f.simplified || simplified
	if err != nil {
		f.simplified = true
		text := textOfHTML(content)
		f.left -= len(text)
		return html.EscapeString(text)
	}
	p := newPage(f.ctx, &plan{base: base, nodesMax: f.plan.nodesMax}, root)
	p.base = base
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
	if p.makeAbsolute(nil) != nil {
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
		return fold(s)
	}
	z := html.NewTokenizer(strings.NewReader(s))
	var out strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return fold(out.String())
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
