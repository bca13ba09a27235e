package notifications

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
)

const (
	linkBytesMax = 2 << 10
	// formBytesMax is above the size of the page's form and of RFC 8058's.
	formBytesMax = 16 << 10
	linkParts    = 3
)

var errLink = errors.New("not a valid link")

// link is the content of a link in a mail. The key that it is signed with determines its purpose.
type link struct{ teamID, detail, address string }

// sealLink signs a link. None of its parts contains a zero byte.
func sealLink(key []byte, l link) string {
	payload := strings.Join([]string{l.teamID, l.detail, l.address}, "\x00")
	encoding := base64.RawURLEncoding
	return encoding.EncodeToString([]byte(payload)) + "." + encoding.EncodeToString(seal(key, payload))
}

func seal(key []byte, payload string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(payload))
	return mac.Sum(nil)
}

// openLink verifies and reads a link by sealLink. The error is errLink.
func openLink(key []byte, text string) (link, error) {
	if len(text) > linkBytesMax {
		return link{}, errLink
	}
	encoding := base64.RawURLEncoding.Strict()
	head, tail, _ := strings.Cut(text, ".")
	payload, err := encoding.DecodeString(head)
	if err != nil {
		return link{}, errLink
	}
	sum, err := encoding.DecodeString(tail)
	if err != nil || !hmac.Equal(sum, seal(key, string(payload))) {
		return link{}, errLink
	}
	parts := strings.Split(string(payload), "\x00")
	if len(parts) != linkParts || slices.Contains(parts, "") {
		return link{}, errLink
	}
	return link{parts[0], parts[1], parts[2]}, nil
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page.html").Parse(pageHTML))

// page is the page that a link shows.
type page struct {
	CSS            template.CSS
	Title, Text    string
	Action, Button string // of its form; empty: no form
	Note           string
}

// The fields and values of the pages' forms, and of RFC 8058.
const (
	formAction   = "action"
	actionEnd    = "unsubscribe"
	actionBegin  = "confirm"
	formOneClick = "List-Unsubscribe"
	oneClick     = "One-Click"
)

// Texts of error pages.
const (
	pageFault       = "This did not work"
	pageFaultLink   = "This link is not valid, or part of it is missing. Copy the complete link."
	pageFaultForm   = "The form was not understood. Go back and use the button."
	pageFaultAway   = "This cannot be done at the moment. Try again in a few minutes."
	pageFaultMethod = "Open this address in a browser."
)

// follower carries out a link's action if change is set, and returns a page with the resulting state, and its status. The
// error is errLink if the link names something that does not exist.
type follower func(ctx context.Context, l link, change bool) (int, *page, error)

// linkHandler serves the links below a path. GET shows a page and changes nothing, because mail scanners follow links.
// POST of the action makes the change, for anyone who has the link.
func (s *Service) linkHandler(path string, key []byte, action string, follow follower) http.Handler {
	sum := sha256.Sum256([]byte(pageCSS))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Robots-Tag", "noindex")
		r.Body = http.MaxBytesReader(w, r.Body, formBytesMax)
		l, err := openLink(key, strings.TrimPrefix(r.URL.Path, path))
		status, shown := s.followed(r, l, err, action, follow)
		if status == http.StatusMethodNotAllowed {
			h.Set("Allow", "GET, HEAD, POST")
		}
		shown.CSS, shown.Action = template.CSS(pageCSS), action //nolint:gosec // our own file
		var out strings.Builder
		if err := pageTemplate.Execute(&out, shown); err != nil {
			s.config.Logger.ErrorContext(r.Context(), "a link's page could not be rendered", "error", err)
			status = http.StatusInternalServerError
		}
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			_, _ = w.Write([]byte(out.String()))
		}
	})
}

// followed responds to a request for a link.
func (s *Service) followed(r *http.Request, l link, err error, action string, follow follower) (int, *page) {
	fault := func(status int, text string) (int, *page) { return status, &page{Title: pageFault, Text: text} }
	change := r.Method == http.MethodPost
	switch {
	case !change && r.Method != http.MethodGet && r.Method != http.MethodHead:
		return fault(http.StatusMethodNotAllowed, pageFaultMethod)
	case err != nil:
		return fault(http.StatusNotFound, pageFaultLink)
	case change && r.PostFormValue(formAction) != action && (action != actionEnd || r.PostFormValue(formOneClick) != oneClick):
		return fault(http.StatusBadRequest, pageFaultForm) // the body was read, in either form encoding
	}
	status, shown, err := follow(r.Context(), l, change)
	switch {
	case errors.Is(err, errLink):
		return fault(http.StatusNotFound, pageFaultLink)
	case err != nil:
		s.config.Logger.ErrorContext(r.Context(), "a link in an email could not be processed", "action", action, "error", err)
		return fault(http.StatusServiceUnavailable, pageFaultAway)
	}
	return status, shown
}
