package reference

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"text/template"

	"github.com/turnpike-edge/turnpike/docs"
)

const (
	repository = "https://github.com/turnpike-edge/turnpike/blob/main/"
	// examplesURL stands for the service's URL on the pages.
	examplesURL = "https://api.example.com"
)

//go:embed page.md
var pageMarkdown string

// pages are the documentation as markdown.
type pages struct {
	operations, index []byte
	byName            map[string][]byte // without .md
}

var (
	relativeLink = regexp.MustCompile(`\]\(([^)\s:#]+)(#[^)\s]*)?\)`)
	listed       = regexp.MustCompile(`^- \[([^\]]+)\]\(([^)\s]+)\)(.*)$`)
)

func newPages(shown data, publicURL string) (*pages, error) {
	p := &pages{byName: map[string][]byte{}}
	names, err := fs.Glob(docs.Pages, "*.md")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := docs.Pages.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the page %s: %w", name, err)
		}
		text = bytes.ReplaceAll(text, []byte(examplesURL), []byte(publicURL))
		p.byName[strings.TrimSuffix(name, ".md")] = relativeLink.ReplaceAllFunc(text, func(link []byte) []byte {
			m := relativeLink.FindSubmatch(link)
			return fmt.Appendf(nil, "](%s%s)", target(string(m[1])), m[2])
		})
	}
	tmpl, err := template.New("docs").Parse(pageMarkdown)
	if err != nil {
		return nil, fmt.Errorf("reading the documentation's template: %w", err)
	}
	var text bytes.Buffer
	if err := tmpl.Execute(&text, shown); err != nil {
		return nil, fmt.Errorf("rendering the documentation: %w", err)
	}
	p.operations = text.Bytes()
	p.index = index(shown, string(p.byName["README"]), publicURL)
	return p, nil
}

// target returns where a page's link leads in a running service. Other files than pages are in the repository.
func target(link string) string {
	if path.Base(link) == link && path.Ext(link) == ".md" || path.IsAbs(link) {
		return link
	}
	return repository + path.Join("docs", link)
}

// index returns llms.txt (llmstxt.org), from docs/README.md. The API's pages come first, under the headings of their groups.
// A reader with little room may skip the section Optional.
func index(shown data, readme, publicURL string) []byte {
	var api, other, section strings.Builder
	to := &section // the lines before the first section
	for line := range strings.SplitSeq(readme, "\n") {
		heading, isSection := strings.CutPrefix(line, "## ")
		group, isGroup := strings.CutSuffix(line, ":")
		switch m := listed.FindStringSubmatch(line); {
		case isSection && heading == "The web data API":
			to = &api
		case isSection && heading == "For contributors":
			to = &section
		case isSection:
			to = &other
		case to == &api && isGroup:
			fmt.Fprintf(to, "\n## %s\n\n", group)
		case m != nil:
			if !strings.Contains(m[2], "://") {
				m[2] = publicURL + "/docs/" + m[2]
			}
			fmt.Fprintf(to, "- [%s](%s)%s\n", m[1], m[2], m[3])
		}
	}
	return fmt.Appendf(nil, `# %s

> %s

The service is at %[3]s. Send an API key as `+"`Authorization: Bearer <key>`"+`, or pay for one request with a wallet under %[3]s/x402. Append
`+"`?dry_run=true`"+` to learn a price without paying it. Pages are markdown.

## Start

- [Setting up agents](%[3]s/docs/agents.md): blocks to paste for clients of MCP, of Firecrawl, and of plain HTTP
- [All operations](%[3]s/docs.md): parameters, fields, examples
- [OpenAPI document](%[3]s/openapi.json): the same for programs
- [Prices](%[3]s/pricing): JSON
- [Errors](%[3]s/docs/errors.md): each code, and what to do
%[4]s
## Optional

%[5]s`, shown.Title, shown.Description, publicURL, api.String(), other.String())
}

// ServeIndex writes llms.txt.
func (p *Page) ServeIndex(w http.ResponseWriter) { writeText(w, "text/plain", p.pages.index) }

// ServeMarkdown writes the documentation of all operations as markdown.
func (p *Page) ServeMarkdown(w http.ResponseWriter) {
	writeText(w, "text/markdown", p.pages.operations)
}

// ServePage writes a page of docs/ as markdown, and reports whether it exists. The name may end with .md.
func (p *Page) ServePage(w http.ResponseWriter, name string) (found bool) {
	text, found := p.pages.byName[strings.TrimSuffix(name, ".md")]
	if found {
		writeText(w, "text/markdown", text)
	}
	return found
}

func writeText(w http.ResponseWriter, mediaType string, text []byte) {
	header := w.Header()
	header.Set("Content-Type", mediaType+"; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(text)
}
