package paywall

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	page = template.Must(template.New("page").Parse(pageHTML))

	// policy allows only the page's own script and style (CSP level 3), and blob images to show a paid image.
	policy = "default-src 'none'; script-src '" + hash(pageJS) + "'; style-src '" + hash(pageCSS) + "'; " +
		"connect-src 'self'; img-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Writer replaces the body of a 402 that has a challenge with the page. It passes on any other response unchanged.
type Writer struct {
	http.ResponseWriter

	now     func() time.Time
	began   bool
	instead bool // the page was written
}

// NewWriter returns a writer for the response to a request that is [Wanted]. now is the clock that checks payments.
func NewWriter(w http.ResponseWriter, now func() time.Time) *Writer {
	return &Writer{ResponseWriter: w, now: now}
}

// Unwrap is for http.ResponseController.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *Writer) WriteHeader(status int) {
	if w.began {
		return
	}
	w.began = status >= http.StatusOK
	body, err := w.render(status)
	if err != nil || body == nil { // programs can still read the original response
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.instead = true
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	w.ResponseWriter.WriteHeader(status)
	_, _ = w.ResponseWriter.Write(body) // an error means that the client has left
}

func (w *Writer) render(status int) ([]byte, error) {
	header := w.Header().Get(x402.HeaderRequired)
	if status != http.StatusPaymentRequired || header == "" {
		return nil, nil
	}
	v, err := read(header)
	if err != nil {
		return nil, err
	}
	v.Page.Now = w.now().Unix()
	v.Style, v.Script = template.CSS(pageCSS), template.JS(pageJS) //nolint:gosec // our own files, not user data
	var body bytes.Buffer
	if err := page.Execute(&body, v); err != nil {
		return nil, fmt.Errorf("rendering the page: %w", err)
	}
	return body.Bytes(), nil
}

// Write implements http.ResponseWriter. It drops the body that the page replaces.
func (w *Writer) Write(p []byte) (int, error) {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	if w.instead {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p) //nolint:wrapcheck // the caller expects the errors of the inner writer
}
