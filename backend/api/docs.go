package api

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/price"
)

var (
	//go:embed docs.html
	docsHTML string
	//go:embed docs.css
	docsCSS string
)

// docsPage renders the documentation from the OpenAPI document as plain HTML with one inline style sheet. There are no
// scripts and no other origins, and the Content-Security-Policy enforces that.
type docsPage struct {
	template *template.Template
	policy   string
	data     docsData
}

type docsData struct {
	Title, Description, Version string
	CSS                         template.CSS
	Groups                      []docsGroup
	Codes                       []docsCode
	Errors                      []docsError
	Kind                        problem.Kind
	Slug                        string
}

type docsCode struct {
	Code problem.Code
	Kind problem.Kind
}

// mountPages writes the OpenAPI document once, after all routes are registered. It mounts the documentation and the
// other routes that are not operations.
func (s *Server) mountPages() error {
	var err error
	if s.openapi, err = json.Marshal(s.api.OpenAPI()); err != nil {
		return fmt.Errorf("writing the OpenAPI document: %w", err)
	}
	if err := s.prepareDocs(); err != nil {
		return err
	}
	s.mux.HandleFunc("GET /healthz", s.healthz)
	s.mux.HandleFunc("GET /readyz", s.readyz)
	s.mux.HandleFunc("GET /openapi.json", s.serveOpenAPI)
	s.mux.HandleFunc("GET /docs", s.serveDocs)
	s.mux.Handle("GET /{$}", http.RedirectHandler("/docs", http.StatusSeeOther))
	s.mux.HandleFunc("GET /docs/api-reference/errors/{slug}", s.serveErrorDocs)
	// For all methods: the handler itself responds 405 with Allow.
	s.mux.Handle("/content/", s.config.Content(s))
	for path, page := range s.config.Pages {
		s.mux.Handle(path, page)
	}
	s.mux.HandleFunc("POST "+price.QuotePath, s.serveQuote)
	return s.mountPriceBook()
}

func (s *Server) prepareDocs() error {
	tmpl, err := template.New("docs").Parse(docsHTML)
	if err != nil {
		return fmt.Errorf("reading the documentation's template: %w", err)
	}
	sum := sha256.Sum256([]byte(docsCSS))
	info := s.api.OpenAPI().Info
	s.docs = docsPage{
		template: tmpl,
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		data: docsData{
			Title: info.Title, Description: info.Description, Version: info.Version,
			CSS:    template.CSS(docsCSS), //nolint:gosec // our own file
			Groups: docsGroups(s.api.OpenAPI(), s.adapter.operations, s.config.PublicURL),
		},
	}
	s.docs.data.Errors = docsErrors()
	for _, code := range problem.Codes() {
		s.docs.data.Codes = append(s.docs.data.Codes, docsCode{Code: code, Kind: code.Kind()})
	}
	return nil
}

func (s *Server) serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/openapi+json;version=3.1")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(s.openapi)
}

func (s *Server) serveDocs(w http.ResponseWriter, r *http.Request) {
	s.renderDocs(w, r, s.docs.data)
}

// serveErrorDocs serves the page that the type URL of an error points to.
func (s *Server) serveErrorDocs(w http.ResponseWriter, r *http.Request) {
	data := s.docs.data
	data.Slug, data.Codes = r.PathValue("slug"), nil
	for _, code := range s.docs.data.Codes {
		if code.Kind.Slug == data.Slug {
			data.Codes, data.Kind = append(data.Codes, code), code.Kind
		}
	}
	if len(data.Codes) == 0 {
		s.writeError(w, r, unknownRoute())
		return
	}
	data.Errors = nil
	for _, row := range s.docs.data.Errors {
		if row.Status == data.Kind.Status {
			data.Errors = append(data.Errors, row)
		}
	}
	s.renderDocs(w, r, data)
}

func (s *Server) renderDocs(w http.ResponseWriter, r *http.Request, data docsData) {
	var page bytes.Buffer
	if err := s.docs.template.Execute(&page, data); err != nil {
		s.writeError(w, r, problem.Internal(fmt.Errorf("rendering the documentation: %w", err)))
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", s.docs.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(page.Bytes())
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
