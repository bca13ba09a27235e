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

	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// UnsubscribePath is where the handler of links is, below the public address.
	UnsubscribePath = "/unsubscribe/"

	linkBytesMax = 2 << 10
	// formBytesMax is more than a form of the page or of RFC 8058 has.
	formBytesMax = 16 << 10
	linkParts    = 3
)

var errLink = errors.New("no link of ours")

// link is whose mail about what a link ends. The subject may be a message, for all that it tells of.
type link struct{ teamID, subject, address string }

// Unsubscribe returns the link by which an address ends mail about a team's subject. It does not expire.
func (s *Service) Unsubscribe(teamID, subject, address string) string {
	return s.config.PublicURL + UnsubscribePath + sealLink(s.key, link{teamID, subject, address})
}

// sealLink writes a link. A zero byte is in none of its parts.
func sealLink(key []byte, l link) string {
	payload := strings.Join([]string{l.teamID, l.subject, l.address}, "\x00")
	encoding := base64.RawURLEncoding
	return encoding.EncodeToString([]byte(payload)) + "." + encoding.EncodeToString(seal(key, payload))
}

func seal(key []byte, payload string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(payload))
	return mac.Sum(nil)
}

// openLink reads what sealLink wrote. The error is errLink.
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

//go:embed unsubscribe.html
var unsubscribeHTML string

//go:embed unsubscribe.css
var unsubscribeCSS string

var unsubscribeTemplate = template.Must(template.New("unsubscribe.html").Parse(unsubscribeHTML))

// unsubscribePage is what the page shows.
type unsubscribePage struct {
	CSS     template.CSS
	Address string
	What    string // the monitor's query, or how many monitors
	Refused bool
	Done    bool   // something was changed just now
	Fault   string // in place of all that
}

// The fields and values of the page's form, and of RFC 8058.
const (
	formAction      = "action"
	actionEnd       = "unsubscribe"
	actionUndo      = "resubscribe"
	formOneClick    = "List-Unsubscribe"
	oneClick        = "One-Click"
	pageFaultLink   = "This link is not one of ours, or part of it is missing. Copy it whole."
	pageFaultOld    = "This mail is too old: its monitors are no longer known. Use the link of a newer one."
	pageFaultForm   = "That was not understood. Go back and use the button."
	pageFaultAway   = "This cannot be done at the moment. Try again in a few minutes."
	pageFaultMethod = "Open this address in a browser."
)

// UnsubscribeHandler serves links: GET shows, and changes nothing since scanners of mail follow links; POST does, for
// whoever has the link.
func (s *Service) UnsubscribeHandler() http.Handler {
	sum := sha256.Sum256([]byte(unsubscribeCSS))
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
		status, page := s.unsubscribing(w, r)
		if status == http.StatusMethodNotAllowed {
			h.Set("Allow", "GET, HEAD, POST")
		}
		page.CSS = template.CSS(unsubscribeCSS) //nolint:gosec // our own file
		var out strings.Builder
		if err := unsubscribeTemplate.Execute(&out, page); err != nil {
			s.config.Logger.ErrorContext(r.Context(), "the page of a link could not be written", "error", err)
			status = http.StatusInternalServerError
		}
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			_, _ = w.Write([]byte(out.String()))
		}
	})
}

// unsubscribing does what a request asks for.
func (s *Service) unsubscribing(w http.ResponseWriter, r *http.Request) (int, *unsubscribePage) {
	fault := func(status int, text string) (int, *unsubscribePage) { return status, &unsubscribePage{Fault: text} }
	change, undo := r.Method == http.MethodPost, false
	if !change && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return fault(http.StatusMethodNotAllowed, pageFaultMethod)
	}
	l, err := openLink(s.key, strings.TrimPrefix(r.URL.Path, UnsubscribePath))
	if err != nil {
		return fault(http.StatusNotFound, pageFaultLink)
	}
	if change {
		r.Body = http.MaxBytesReader(w, r.Body, formBytesMax)
		action := r.PostFormValue(formAction) // of either form of a form's body
		undo = action == actionUndo
		if !undo && action != actionEnd && r.PostFormValue(formOneClick) != oneClick {
			return fault(http.StatusBadRequest, pageFaultForm)
		}
	}
	page, err := s.wanted(r.Context(), l, change, undo)
	switch {
	case errors.Is(err, errLink):
		return fault(http.StatusGone, pageFaultOld)
	case err != nil:
		s.config.Logger.ErrorContext(r.Context(), "a link to unsubscribe could not be followed", "error", err)
		return fault(http.StatusServiceUnavailable, pageFaultAway)
	}
	return http.StatusOK, page
}

// wanted changes whether mail is wanted, if that is asked for, and says what then holds. The error is errLink where
// nothing is known of what the link names.
func (s *Service) wanted(ctx context.Context, l link, change, undo bool) (*unsubscribePage, error) {
	subjects := []string{l.subject}
	if token.Is(l.subject, "message") {
		var err error
		if subjects, err = s.store.subjects(ctx, l); err != nil {
			return nil, err
		}
		if len(subjects) == 0 {
			return nil, errLink
		}
	}
	if change {
		if err := s.store.refuse(ctx, l, subjects, !undo, s.config.Now()); err != nil {
			return nil, err
		}
	}
	refused, err := s.store.refuses(ctx, l, subjects)
	if err != nil {
		return nil, err
	}
	what, err := s.store.about(ctx, l.teamID, subjects)
	if err != nil {
		return nil, err
	}
	return &unsubscribePage{Address: l.address, What: what, Refused: refused, Done: change}, nil
}
