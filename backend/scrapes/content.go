package scrapes

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/backend/problem"
)

// content is what an answer inlines.
type content struct {
	texts map[Format]string
	links []string
}

const linksName = "links.json"

// contentKey is where an attempt keeps one piece. Attempts do not share keys, so
// one that was taken for dead cannot change what another has finished.
func contentKey(retrieveID string, attempt int32, name string) string {
	return "scrapes/" + retrieveID + "/" + strconv.Itoa(int(attempt)) + "/" + name
}

// file is the name and type of a format's file.
func (f Format) file() (name, contentType string) {
	switch f {
	case FormatHTML:
		return "page.html", "text/html; charset=utf-8"
	case FormatMarkdown:
		return "page.md", "text/markdown; charset=utf-8"
	case FormatText:
		return "page.txt", "text/plain; charset=utf-8"
	case FormatJSON:
		return "page.json", "application/json"
	case FormatRawPDF:
		return "page.pdf", "application/pdf"
	case FormatScreenshot:
		return "page.png", "image/png"
	}
	return "page.bin", "application/octet-stream"
}

// keep stores the content of an attempt.
func (s *Service) keep(ctx context.Context, retrieveID string, o *outcome, c *content) error {
	for _, stored := range o.Contents {
		name, contentType := stored.Format.file()
		if err := s.config.Blobs.Put(ctx, contentKey(retrieveID, o.Attempt, name), contentType, []byte(c.texts[stored.Format])); err != nil {
			return fmt.Errorf("keeping content: %w", err)
		}
	}
	if !o.HasLinks {
		return nil
	}
	links, err := json.Marshal(c.links)
	if err != nil {
		return fmt.Errorf("writing links: %w", err)
	}
	if err := s.config.Blobs.Put(ctx, contentKey(retrieveID, o.Attempt, linksName), "application/json", links); err != nil {
		return fmt.Errorf("keeping links: %w", err)
	}
	return nil
}

// inline reports whether formats fit into one answer.
func (s *Service) inline(r *record, formats []Format) bool {
	total := int64(0)
	for _, stored := range r.outcome.Contents {
		if slices.Contains(formats, stored.Format) {
			total += stored.Bytes
		}
	}
	return total <= s.config.InlineBytesMax
}

// load reads the content of formats, if it fits into an answer, and the links if wanted.
func (s *Service) load(ctx context.Context, r *record, formats []Format, links bool) (*content, error) {
	c := &content{texts: map[Format]string{}}
	if s.inline(r, formats) {
		for _, format := range formats {
			name, _ := format.file()
			data, err := s.config.Blobs.Read(ctx, contentKey(r.retrieveID, r.outcome.Attempt, name))
			if err != nil {
				return nil, fmt.Errorf("reading content of %s: %w", r.id, err)
			}
			c.texts[format] = string(data)
		}
	}
	if !links || !r.outcome.HasLinks {
		return c, nil
	}
	data, err := s.config.Blobs.Read(ctx, contentKey(r.retrieveID, r.outcome.Attempt, linksName))
	if err != nil {
		return nil, fmt.Errorf("reading links of %s: %w", r.id, err)
	}
	if err := json.Unmarshal(data, &c.links); err != nil {
		return nil, fmt.Errorf("reading links of %s: %w", r.id, err)
	}
	return c, nil
}

// answer fills a scrape with its content.
func (s *Service) answer(r *record, c *content) (*Scrape, error) {
	scrape := r.scrape()
	if !s.config.Now().Before(r.expires) {
		return scrape, nil // the content is gone, the scrape is not
	}
	contents, err := s.contents(r, c, r.outcome.formats())
	if err != nil {
		return nil, problem.Internal(err)
	}
	scrape.Result.Contents = contents
	if r.outcome.HasLinks {
		scrape.Result.LinksOnPage = c.links
		if c.links == nil {
			scrape.Result.LinksOnPage = []string{}
		}
	}
	return scrape, nil
}

func (o *outcome) formats() []Format {
	formats := make([]Format, 0, len(o.Contents))
	for _, stored := range o.Contents {
		formats = append(formats, stored.Format)
	}
	return formats
}

// contents inlines formats where they fit, and signs a URL for each.
func (s *Service) contents(r *record, c *content, formats []Format) (Contents, error) {
	out := Contents{SizeExceeded: !s.inline(r, formats)}
	ttl := r.expires.Sub(s.config.Now())
	for _, format := range formats {
		hosted, err := s.hostedURL(r, format, ttl)
		if err != nil {
			return Contents{}, err
		}
		var text *string
		if !out.SizeExceeded {
			value := c.texts[format]
			text = &value
		}
		switch format {
		case FormatHTML:
			out.HTML, out.HTMLHostedURL = text, &hosted
		case FormatMarkdown:
			out.Markdown, out.MarkdownHostedURL = text, &hosted
		case FormatText:
			out.Text, out.TextHostedURL = text, &hosted
		case FormatJSON:
			out.JSON, out.JSONHostedURL = text, &hosted
		case FormatRawPDF, FormatScreenshot: // never text
		}
	}
	return out, nil
}

func (s *Service) hostedURL(r *record, format Format, ttl time.Duration) (string, error) {
	name, _ := format.file()
	hosted, err := s.config.Signer.URL(contentKey(r.retrieveID, r.outcome.Attempt, name), name, "", ttl)
	if err != nil {
		return "", fmt.Errorf("signing content of %s: %w", r.id, err)
	}
	return hosted, nil
}
