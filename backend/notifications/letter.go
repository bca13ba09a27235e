package notifications

import (
	_ "embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"net/url"
	"strings"
	texttemplate "text/template"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/clip"
)

//go:embed letter.html
var letterHTML string

//go:embed letter.txt
var letterText string

//go:embed confirm.html
var confirmHTML string

//go:embed confirm.txt
var confirmText string

var (
	// letterFuncs are the functions of both templates.
	letterFuncs = map[string]any{"utc": utc, "short": short, "place": place, "sign": sign, "first": first}

	letterHTMLTemplate  = htmltemplate.Must(htmltemplate.New("letter.html").Funcs(letterFuncs).Parse(letterHTML))
	letterTextTemplate  = texttemplate.Must(texttemplate.New("letter.txt").Funcs(letterFuncs).Parse(letterText))
	confirmHTMLTemplate = htmltemplate.Must(htmltemplate.New("confirm.html").Parse(confirmHTML))
	confirmTextTemplate = texttemplate.Must(texttemplate.New("confirm.txt").Parse(confirmText))
)

func utc(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// short is a URL without its scheme, for display.
func short(rawURL string) string {
	_, rest, ok := strings.Cut(rawURL, "://")
	if !ok {
		return rawURL
	}
	return clip.Chars(strings.TrimSuffix(rest, "/"), 80)
}

// first capitalizes a word.
func first(word string) string {
	r, size := utf8.DecodeRuneInString(word)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + word[size:]
}

// place is a URL that a link may use; "" for any other.
func place(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return rawURL
}

// sign is the kind of a diff line.
func sign(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
		return "head"
	case strings.HasPrefix(line, "+"):
		return "plus"
	case strings.HasPrefix(line, "-"):
		return "minus"
	default:
		return "same"
	}
}

// letter renders a message as email. Its Message-ID consists of the first event's id and the address's lane in every attempt.
func (s *Service) letter(m *Message) (*letter, error) {
	l := &letter{to: m.Target, subject: m.Subject(), id: m.First + "." + m.Lane, at: s.config.Now(), unsubscribe: m.Unsubscribe}
	textTemplate, htmlTemplate := letterTextTemplate, letterHTMLTemplate
	if m.Question != nil {
		l.confirm = m.Question.Confirm
		textTemplate, htmlTemplate = confirmTextTemplate, confirmHTMLTemplate
	}
	var text, html strings.Builder
	if err := errors.Join(textTemplate.Execute(&text, m), htmlTemplate.Execute(&html, m)); err != nil {
		return nil, fmt.Errorf("rendering an email: %w", err)
	}
	l.text, l.html = text.String(), html.String()
	return l, nil
}
