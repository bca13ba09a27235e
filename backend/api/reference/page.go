// Package reference renders the documentation of the API from its OpenAPI document and the pages of docs/.
package reference

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
)

// Page is the documentation: as plain HTML with one inline style sheet, and as markdown. The HTML has no scripts and no other
// origins, and the Content-Security-Policy enforces that.
type Page struct {
	template *template.Template
	policy   string
	data     data
	pages    *pages
}

type data struct {
	Title, Description, Version string
	CSS                         template.CSS
	Groups                      []group
	Codes                       []code
	Errors                      []errorText
	Kind                        problem.Kind
	Slug                        string
	Prices                      *Prices // nil: another page
}

type code struct {
	Code problem.Code
	Kind problem.Kind
}

// New makes the documentation of operations, which are listed in the order in which to read them. paidPrefix begins the
// paths of operations that are paid for one by one.
func New(doc *huma.OpenAPI, operations []*huma.Operation, publicURL, paidPrefix string) (*Page, error) {
	tmpl, err := template.New("docs").Parse(pageHTML)
	if err != nil {
		return nil, fmt.Errorf("reading the documentation's template: %w", err)
	}
	sum := sha256.Sum256([]byte(pageCSS))
	p := &Page{
		template: tmpl,
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		data: data{
			Title: doc.Info.Title, Description: doc.Info.Description, Version: doc.Info.Version,
			CSS:    template.CSS(pageCSS), //nolint:gosec // our own file
			Groups: groupsOf(doc, operations, publicURL, paidPrefix),
			Errors: errorTexts(),
		},
	}
	for _, c := range problem.Codes() {
		p.data.Codes = append(p.data.Codes, code{Code: c, Kind: c.Kind()})
	}
	if p.pages, err = newPages(p.data, publicURL); err != nil {
		return nil, err
	}
	return p, nil
}

// Serve writes the documentation of all operations.
func (p *Page) Serve(w http.ResponseWriter) error { return p.render(w, p.data) }

// ServeKind writes the page that the type URL of an error points to, and reports whether there are such errors. As markdown,
// it is the page about all errors.
func (p *Page) ServeKind(w http.ResponseWriter, slug string, asMarkdown bool) (found bool, err error) {
	shown := p.data
	shown.Slug, shown.Codes = slug, nil
	for _, c := range p.data.Codes {
		if c.Kind.Slug == slug {
			shown.Codes, shown.Kind = append(shown.Codes, c), c.Kind
		}
	}
	if len(shown.Codes) == 0 {
		return false, nil
	}
	if asMarkdown {
		return p.ServePage(w, "errors"), nil
	}
	shown.Errors = nil
	for _, row := range p.data.Errors {
		if row.Status == shown.Kind.Status {
			shown.Errors = append(shown.Errors, row)
		}
	}
	return true, p.render(w, shown)
}

func (p *Page) render(w http.ResponseWriter, shown data) error {
	var page bytes.Buffer
	if err := p.template.Execute(&page, shown); err != nil {
		return fmt.Errorf("rendering the documentation: %w", err)
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", p.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(page.Bytes())
	return nil
}

// curlExample returns a command to copy.
func curlExample(publicURL, method, path string, keyed bool, body string) string {
	lines := []string{"curl " + publicURL + path}
	if keyed {
		lines = append(lines, `-H "Authorization: Bearer $TURNPIKE_KEY"`)
	}
	if body != "" {
		// Without this header curl declares the body a form, which the edge does not price.
		lines = append(lines, `-H "Content-Type: application/json"`, "-d '"+body+"'")
	} else if method != http.MethodGet {
		lines[0] = "curl -X " + method + " " + publicURL + path
	}
	return strings.Join(lines, " \\\n  ")
}
