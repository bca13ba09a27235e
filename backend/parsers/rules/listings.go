package rules

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/clip"
)

func parseLinks(r *run) (map[string]any, string, error) {
	links := make([]any, 0, len(r.document.Links))
	for i := range r.document.Links {
		links = append(links, linkOf(&r.document.Links[i]))
	}
	return map[string]any{"url": r.source.URL, "links": links}, "", nil
}

func linkOf(l *extract.Link) map[string]any {
	return map[string]any{
		"url": l.URL, "text": l.Text, "rel": listOf(l.Rel), "scope": textOrNil(string(l.Scope)), "internal": l.Internal,
		"context": textOrNil(l.Heading),
	}
}

func parseTables(r *run) (map[string]any, string, error) {
	tables := make([]any, 0, len(r.structured.Tables))
	for i := range r.structured.Tables {
		t := &r.structured.Tables[i]
		var header any
		if len(t.Header) > 0 {
			header = listOf(t.Header)
		}
		rows := make([]any, len(t.Rows))
		for j, cells := range t.Rows {
			rows[j] = listOf(cells)
		}
		tables = append(tables, map[string]any{"caption": textOrNil(t.Caption), "header": header, "rows": rows})
	}
	return map[string]any{"url": r.source.URL, "tables": tables}, "", nil
}

// graphPrefixes are the prefixes of meta elements for social sharing.
var graphPrefixes = []string{"og:", "article:", "product:", "book:", "profile:", "music:", "video:", "twitter:", "fb:"}

const (
	metaNamesMax  = 500
	metaValuesMax = 50
)

func parseMetadata(r *run) (map[string]any, string, error) {
	m := r.document.Metadata
	h := &headReader{run: r, graph: map[string]any{}, meta: map[string]any{}}
	if r.root != nil {
		for n := range r.root.Descendants() {
			if err := r.budget.step(1); err != nil {
				return nil, "", err
			}
			h.read(n)
		}
	}
	types, err := r.types()
	if err != nil {
		return nil, "", err
	}
	return map[string]any{
		"url": r.source.URL, "title": textOrNil(m.Title), "description": textOrNil(m.Description), "language": textOrNil(m.Language),
		"canonical_url": textOrNil(m.CanonicalURL), "published_at": textOrNil(m.PublishedAt), "modified_at": textOrNil(m.ModifiedAt),
		"author": textOrNil(m.Author), "authors": listOf(m.Authors), "site_name": textOrNil(m.SiteName), "image": textOrNil(m.Image),
		"favicon": textOrNil(m.Favicon), "page_type": textOrNil(r.document.Type), "open_graph": h.graph, "meta": h.meta,
		"alternates": listOf(h.alternates), "feeds": listOf(h.feeds), "structured_types": listOf(types),
	}, "", nil
}

// headReader collects meta and link elements.
type headReader struct {
	run               *run
	graph, meta       map[string]any
	alternates, feeds []any
}

func (h *headReader) read(n *html.Node) {
	switch n.DataAtom {
	case atom.Meta:
		content := fold(attrOf(n, "content"))
		for _, key := range []string{"property", "name"} {
			name := strings.ToLower(fold(attrOf(n, key)))
			if name == "" || content == "" || len(name) > labelBytesMax {
				continue
			}
			if slices.ContainsFunc(graphPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
				addValue(h.graph, name, content)
			} else {
				addValue(h.meta, name, content)
			}
			break
		}
	case atom.Link:
		h.link(n)
	}
}

func addValue(m map[string]any, name, value string) {
	list, _ := m[name].([]any)
	if (list == nil && len(m) >= metaNamesMax) || len(list) >= metaValuesMax || slices.Contains(list, any(value)) {
		return
	}
	m[name] = append(list, clip.Bytes(value, labelledBytesMax))
}

func (h *headReader) link(n *html.Node) {
	if !slices.Contains(strings.Fields(strings.ToLower(attrOf(n, "rel"))), "alternate") || len(h.alternates)+len(h.feeds) >= metaNamesMax {
		return
	}
	address, ok := h.run.absolute(attrOf(n, "href"))
	if !ok {
		return
	}
	kind := strings.ToLower(strings.TrimSpace(attrOf(n, "type")))
	switch {
	case kind == "application/rss+xml" || kind == "application/atom+xml" || kind == "application/feed+json":
		h.feeds = append(h.feeds, map[string]any{"title": textOrNil(attrOf(n, "title")), "type": kind, "url": address})
	case attrOf(n, "hreflang") != "":
		h.alternates = append(h.alternates, map[string]any{"language": fold(attrOf(n, "hreflang")), "url": address})
	}
}

// types are the types of all items on the page, without duplicates.
func (r *run) types() ([]string, error) {
	types := []string{}
	for _, list := range [][]*extract.Item{r.structured.JSONLD, r.structured.Microdata, r.structured.RDFa} {
		items, err := r.items(list, "")
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			for _, t := range item.Types {
				if !slices.Contains(types, t) && len(types) < metaNamesMax {
					types = append(types, t)
				}
			}
		}
	}
	return types, nil
}
