package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/openapi"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/api/reference"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// mountPages writes the OpenAPI document once, after all routes are registered. It mounts the documentation and the
// other routes that are not operations.
func (s *Server) mountPages() error {
	openapi.Complete(openapi.Config{
		Document: s.api.OpenAPI(), Book: s.config.Book, PaidPrefix: paidPrefix, DocsURL: s.config.DocsURL,
		SchemePayment: schemePayment, SchemePaymentV1: schemePaymentV1,
	})
	var err error
	if s.openapi, err = json.Marshal(s.api.OpenAPI()); err != nil {
		return fmt.Errorf("writing the OpenAPI document: %w", err)
	}
	s.docs, err = reference.New(s.api.OpenAPI(), s.adapter.operations, s.config.PublicURL, paidPrefix)
	if err != nil {
		return err
	}
	s.mux.HandleFunc("GET /healthz", s.healthz)
	s.mux.HandleFunc("GET /readyz", s.readyz)
	s.mux.HandleFunc("GET /openapi.json", s.serveOpenAPI)
	s.mux.HandleFunc("GET /llms.txt", func(w http.ResponseWriter, _ *http.Request) { s.docs.ServeIndex(w) })
	s.mux.HandleFunc("GET /docs", s.serveDocs)
	s.mux.HandleFunc("GET /docs.md", func(w http.ResponseWriter, _ *http.Request) { s.docs.ServeMarkdown(w) })
	s.mux.HandleFunc("GET /docs/{page}", s.servePage)
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

func (s *Server) serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/openapi+json;version=3.1")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(s.openapi)
}

func (s *Server) serveDocs(w http.ResponseWriter, r *http.Request) {
	if prefersMarkdown(w, r) {
		s.docs.ServeMarkdown(w)
		return
	}
	if err := s.docs.Serve(w); err != nil {
		s.writeError(w, r, problem.Internal(err))
	}
}

// servePage serves the pages that exist only as markdown.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	if !s.docs.ServePage(w, r.PathValue("page")) {
		s.writeError(w, r, unknownRoute())
	}
}

func (s *Server) serveErrorDocs(w http.ResponseWriter, r *http.Request) {
	slug, isMarkdown := strings.CutSuffix(r.PathValue("slug"), ".md")
	switch found, err := s.docs.ServeKind(w, slug, isMarkdown || prefersMarkdown(w, r)); {
	case err != nil:
		s.writeError(w, r, problem.Internal(err))
	case !found:
		s.writeError(w, r, unknownRoute())
	}
}

func prefersMarkdown(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Add("Vary", "Accept")
	return reference.Preferred(r.Header["Accept"], "text/html", "text/markdown") == "text/markdown"
}
