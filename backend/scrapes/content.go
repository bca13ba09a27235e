package scrapes

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
)

// content is what a response inlines.
type content struct {
	files map[page.Format][]byte
	links []string
	read  *LLMRead // of an extraction in this request
}

const linksName = "links.json"

// attemptFolder is the key prefix for the content of an attempt. Attempts do not share keys, so one that was taken for
// dead cannot change what another has finished.
func attemptFolder(retrieveID string, attempt int32) string {
	return "scrapes/" + retrieveID + "/" + strconv.Itoa(int(attempt))
}

// contentKey is the key of one piece of an attempt's content.
func contentKey(retrieveID string, attempt int32, name string) string {
	return attemptFolder(retrieveID, attempt) + "/" + name
}

// fileOf returns the name and type of a format's file.
func fileOf(f page.Format) (name, contentType string) {
	switch f {
	case page.FormatHTML:
		return "page.html", "text/html; charset=utf-8"
	case page.FormatMarkdown:
		return "page.md", "text/markdown; charset=utf-8"
	case page.FormatText:
		return "page.txt", "text/plain; charset=utf-8"
	case page.FormatJSON:
		return "page.json", "application/json"
	case page.FormatRawPDF:
		return "page.pdf", "application/pdf"
	case page.FormatScreenshot:
		return "page.png", "image/png"
	}
	return "page.bin", "application/octet-stream"
}

// keep stores the content of an attempt.
func (e *Engine) keep(ctx context.Context, retrieveID string, o *outcome, c *content) error {
	for _, stored := range o.Contents {
		name, contentType := fileOf(stored.Format)
		if err := e.config.Blobs.Put(ctx, contentKey(retrieveID, o.Attempt, name), contentType, c.files[stored.Format]); err != nil {
			return fmt.Errorf("storing content: %w", err)
		}
	}
	if !o.HasLinks {
		return nil
	}
	links, err := json.Marshal(c.links)
	if err != nil {
		return fmt.Errorf("writing links: %w", err)
	}
	if err := e.config.Blobs.Put(ctx, contentKey(retrieveID, o.Attempt, linksName), "application/json", links); err != nil {
		return fmt.Errorf("storing links: %w", err)
	}
	return nil
}

// names returns the names of all stored files.
func (o *outcome) names() []string {
	var names []string
	for _, format := range o.formats() {
		name, _ := fileOf(format)
		names = append(names, name)
	}
	if o.HasLinks {
		names = append(names, linksName)
	}
	if o.HasRecord {
		names = append(names, recordName)
	}
	return names
}

// copyContent stores the content of from also as that of to, which has content of its own until it expires.
func (s *Service) copyContent(ctx context.Context, from, to *stored) error {
	for _, name := range from.outcome.names() {
		err := s.config.Blobs.Copy(ctx, contentKey(to.retrieveID, to.outcome.Attempt, name), contentKey(from.retrieveID, from.outcome.Attempt, name))
		if err != nil {
			return fmt.Errorf("copying content of %s: %w", from.retrieveID, err)
		}
	}
	return nil
}

// inline reports whether formats fit into one response.
func (s *Service) inline(k *stored, formats []page.Format) bool {
	total := int64(0)
	for _, stored := range k.outcome.Contents {
		if stored.Format.IsText() && slices.Contains(formats, stored.Format) {
			total += stored.Bytes
		}
	}
	return total <= s.config.InlineBytesMax
}

// load reads the content of formats, if it fits into a response, and the links if wanted.
func (s *Service) load(ctx context.Context, k *stored, formats []page.Format, links bool) (*content, error) {
	c := &content{files: map[page.Format][]byte{}}
	if s.inline(k, formats) {
		for _, format := range formats {
			if !format.IsText() {
				continue
			}
			name, _ := fileOf(format)
			data, err := s.config.Blobs.Read(ctx, contentKey(k.retrieveID, k.outcome.Attempt, name))
			if err != nil {
				return nil, fmt.Errorf("reading content of %s: %w", k.retrieveID, err)
			}
			c.files[format] = data
		}
	}
	if !links || !k.outcome.HasLinks {
		return c, nil
	}
	data, err := s.config.Blobs.Read(ctx, contentKey(k.retrieveID, k.outcome.Attempt, linksName))
	if err != nil {
		return nil, fmt.Errorf("reading links of %s: %w", k.retrieveID, err)
	}
	if err := json.Unmarshal(data, &c.links); err != nil {
		return nil, fmt.Errorf("reading links of %s: %w", k.retrieveID, err)
	}
	return c, nil
}

// answer adds its content to a scrape.
func (s *Service) answer(r *record, c *content) (*Scrape, error) {
	scrape := r.scrape()
	if !s.config.Now().Before(r.expires) {
		return scrape, nil // the content has expired, the scrape has not
	}
	result, err := s.result(&r.stored, c, r.outcome.formats(), true)
	if err != nil {
		return nil, problem.Internal(err)
	}
	scrape.Result = *result
	return scrape, nil
}

// result returns the stored content in formats and, if beside is set, also the links and the record.
func (s *Service) result(k *stored, c *content, formats []page.Format, beside bool) (*Result, error) {
	contents, err := s.contents(k, c, formats)
	if err != nil {
		return nil, err
	}
	result := &Result{Contents: contents, PageMetadata: k.outcome.Page}
	if err := s.hostFiles(k, formats, result); err != nil {
		return nil, err
	}
	if beside && k.outcome.HasRecord {
		hosted, err := s.hostedName(k, recordName, k.expires.Sub(s.config.Now()))
		if err != nil {
			return nil, err
		}
		result.WARCHostedURL = &hosted
	}
	if beside && k.outcome.HasLinks {
		if result.LinksOnPage = c.links; c.links == nil {
			result.LinksOnPage = []string{}
		}
	}
	return result, nil
}

func (o *outcome) formats() []page.Format {
	formats := make([]page.Format, 0, len(o.Contents))
	for _, stored := range o.Contents {
		formats = append(formats, stored.Format)
	}
	return formats
}

// contents inlines formats if they fit, and signs a URL for each.
func (s *Service) contents(k *stored, c *content, formats []page.Format) (Contents, error) {
	out := Contents{SizeExceeded: !s.inline(k, formats)}
	ttl := k.expires.Sub(s.config.Now())
	for _, format := range formats {
		if !format.IsText() {
			continue
		}
		hosted, err := s.hostedURL(k, format, ttl)
		if err != nil {
			return Contents{}, err
		}
		var text *string
		if !out.SizeExceeded {
			value := string(c.files[format])
			text = &value
		}
		switch format {
		case page.FormatHTML:
			out.HTML, out.HTMLHostedURL = text, &hosted
		case page.FormatMarkdown:
			out.Markdown, out.MarkdownHostedURL = text, &hosted
		case page.FormatText:
			out.Text, out.TextHostedURL = text, &hosted
		case page.FormatJSON:
			out.JSON, out.JSONHostedURL = text, &hosted
			if text != nil {
				out.JSONObject = c.files[format]
			}
		case page.FormatRawPDF, page.FormatScreenshot: // never text
		}
	}
	return out, nil
}

// hostFiles signs URLs for the formats that are never inlined.
func (s *Service) hostFiles(k *stored, formats []page.Format, result *Result) error {
	ttl := k.expires.Sub(s.config.Now())
	for format, at := range map[page.Format]**string{page.FormatScreenshot: &result.ScreenshotHostedURL, page.FormatRawPDF: &result.RawPDFHostedURL} {
		if !slices.Contains(formats, format) {
			continue
		}
		hosted, err := s.hostedURL(k, format, ttl)
		if err != nil {
			return err
		}
		*at = &hosted
	}
	return nil
}

func (s *Service) hostedURL(k *stored, format page.Format, ttl time.Duration) (string, error) {
	name, _ := fileOf(format)
	return s.hostedName(k, name, ttl)
}

func (s *Service) hostedName(k *stored, name string, ttl time.Duration) (string, error) {
	hosted, err := s.config.Signer.URL(contentKey(k.retrieveID, k.outcome.Attempt, name), name, "", ttl)
	if err != nil {
		return "", fmt.Errorf("signing content of %s: %w", k.retrieveID, err)
	}
	return hosted, nil
}
