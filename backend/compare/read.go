package compare

import (
	"context"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// ReadOptions is how extract must read a page for PageOf: all of it.
func ReadOptions(baseURL string) extract.Options {
	return extract.Options{BaseURL: baseURL, RemoveSelectors: []string{"script", "style", "noscript", "template", "svg", "iframe"}}
}

// Read reads a body of any type as PageOf wants it. Errors are those of extract.Read.
func Read(ctx context.Context, source extract.Source) (Page, error) {
	document, err := extract.Read(ctx, source, ReadOptions(source.URL))
	if err != nil {
		return Page{}, err
	}
	return PageOf(source.URL, document), nil
}

// PageOf makes what is kept of a page from what extract read of it with ReadOptions. What was extracted by an output_schema
// is put into Page.Data by the caller.
func PageOf(url string, document *extract.Document) Page {
	p := Page{
		URL: canonicalLink(url), Title: cutText(cleanText(document.Metadata.Title), labelBytesMax), Language: cutText(cleanText(document.Metadata.Language), 40),
		Form: blocksForm,
	}
	r := &reader{page: &p}
	if p.Title != "" {
		r.emit(Block{Kind: KindTitle, Text: p.Title, Path: "title"})
	}
	if root, err := extract.Parse([]byte(document.HTML)); err == nil {
		r.read(root)
	} else { // its markup is beyond bounds, but the text is still there
		for line := range strings.SplitSeq(document.Text, "\n") {
			r.emit(Block{Kind: KindParagraph, Text: cleanText(line)})
		}
	}
	if p.Error = p.softError(); p.Error != "" {
		p.Blocks = nil // they are of what it was instead
	}
	return p
}

// FailedPage is a page that could not be read.
func FailedPage(url, reason string) Page {
	return Page{URL: canonicalLink(url), Error: cutText(cleanText(reason), labelBytesMax)}
}

const (
	// A page that stands in for another is short.
	softBytesMax = 1500
	// An empty shell shows less than this.
	shellBytesMax = 24
)

// softPhrases are what pages say that are there instead of another, by what they are.
var softPhrases = []struct {
	reason  string
	phrases []string
}{
	{"captcha", []string{
		"verify you are human", "verify that you are human", "verifying you are human", "are you a robot", "not a robot", "captcha",
		"checking your browser", "just a moment", "unusual traffic",
		"enable javascript and cookies to continue", "security check", "access denied", "request blocked", "you have been blocked", "attention required",
		"automated access", "automated requests", "prove you are human", "confirm you are human", "sind sie ein roboter", "kein roboter", "pas un robot",
		"no soy un robot", "bot detection", "human verification",
	}},
	{"maintenance", []string{
		"down for maintenance", "under maintenance", "down for scheduled maintenance", "maintenance mode", "be right back", "be back soon", "back shortly",
		"back online shortly", "wartungsarbeiten",
		"en maintenance", "en mantenimiento", "temporarily unavailable", "temporarily down", "temporarily offline", "service unavailable",
		"currently unavailable due to", "undergoing maintenance",
	}},
	{"error page", []string{
		"internal server error", "bad gateway", "gateway timeout", "gateway time-out", "too many requests", "rate limit exceeded", "something went wrong", "an error occurred",
		"unexpected error", "database connection", "error establishing", "application error", "please try again later", "try again in a few", "rate limited",
	}},
	{"empty shell", []string{
		"enable javascript", "javascript is required", "javascript is disabled", "requires javascript", "activate javascript", "javascript aktivieren",
		"activer javascript", "turn on javascript",
	}},
}

// softError says what a page is instead of itself, "" where it is itself. What is said in its title or first words counts where
// there is little else.
func (p *Page) softError() string {
	bytes, shown := 0, 0
	var head strings.Builder
	_, _ = head.WriteString(p.Title)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if b.Kind == KindTitle {
			continue
		}
		shown += len(b.Text)
		if b.Part != "" {
			continue
		}
		bytes += len(b.Text) // what a list says is of its items
		if head.Len() < 600 && b.Group == 0 {
			_ = head.WriteByte('\n')
			_, _ = head.WriteString(b.Text)
		}
	}
	if shown < shellBytesMax || shown < 4*shellBytesMax && isLoading(head.String()) {
		return "empty shell"
	}
	if bytes > softBytesMax {
		return ""
	}
	said := strings.ToLower(head.String())
	for _, soft := range softPhrases {
		for _, phrase := range soft.phrases {
			if strings.Contains(said, phrase) && isAbout(said, phrase, bytes) {
				return soft.reason
			}
		}
	}
	return ""
}

// isAbout reports whether a phrase is what a page is about: it is in its title or first heading, or there is hardly more.
func isAbout(said, phrase string, bytes int) bool {
	lines := strings.SplitN(said, "\n", 4)
	for _, line := range lines[:min(2, len(lines))] {
		if strings.Contains(line, phrase) && len(line) < 120 {
			return bytes < softBytesMax/2
		}
	}
	return bytes < 400 && !strings.Contains(phrase, "unavailable") // which a product may be
}

func isLoading(text string) bool {
	text = strings.ToLower(text)
	for _, word := range []string{"loading", "please wait", "wird geladen", "chargement", "cargando"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
