package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/extract/feeds"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

const (
	// Indenting multiplies the size of JSON by its depth; beyond these limits it is not indented.
	jsonIndentBytesMax = 1 << 20
	jsonIndentDepthMax = 32
)

// kind is how a body is read.
type kind int

const (
	kindUnsupported kind = iota
	kindPage
	kindPDF
	kindImage
	kindFeed
	kindMarkdown
	kindTable
	kindJSON
	kindXML
	kindPlain
	kindCode
)

// Read reads a body of any type that has text: pages as Page does; feeds as lists of their entries; tables; images as a
// reference to them, with their size and the text they contain; other text as it is, JSON indented. For other types the
// error is ErrUnsupportedContent; else errors are those of Page. options.BaseURL is source.URL if it is empty.
func Read(ctx context.Context, source Source, options Options) (*Document, error) {
	if options.BaseURL == "" {
		options.BaseURL = source.URL
	}
	options.header = source.Header
	// Even if the body does not need them: whether a request is valid must not depend on what the target sends.
	plan, err := options.compile()
	if err != nil {
		return nil, err
	}
	as := kindOfBody(source)
	if as != kindImage && as != kindPDF && !utf8.Valid(source.Body) {
		// It was declared as text but contains other bytes.
		source.Body = bytes.ToValidUTF8(source.Body, []byte("\ufffd"))
	}
	switch body := source.Body; as {
	case kindPage:
		return plan.page(ctx, body)
	case kindPDF:
		return readPDF(ctx, source, options)
	case kindImage:
		return readImage(source, options)
	case kindFeed:
		document, err := readFeed(ctx, source, options)
		if document != nil || err != nil {
			return document, err
		}
		source.sniffed = true // it looked like a feed, and is none
		return Read(ctx, source, options)
	case kindMarkdown:
		document := plainDocument(string(body))
		document.Markdown = document.Text
		return document, nil
	case kindTable:
		return readCSV(ctx, source, options)
	case kindJSON:
		return codeDocument("json", indented(body)), nil
	case kindXML:
		return codeDocument("xml", string(body)), nil
	case kindPlain:
		return plainDocument(string(body)), nil
	case kindCode:
		return codeDocument("", string(body)), nil
	case kindUnsupported:
	}
	return nil, fmt.Errorf("%w: %.100q", ErrUnsupportedContent, source.MediaType)
}

// IsPDF reports whether a source is a PDF by its type or, if the type is unspecific, by its first bytes.
func IsPDF(source Source) bool {
	switch source.MediaType {
	case "application/pdf", "application/x-pdf":
		return true
	case "", "application/octet-stream", "binary/octet-stream":
		return bytes.HasPrefix(source.Body, []byte("%PDF-"))
	}
	return false
}

// kindOfBody uses the declared type. The body itself counts in two cases only: feeds, which are served with many types,
// and pages and PDFs with an unspecific type.
func kindOfBody(source Source) kind {
	mediaType := source.MediaType
	declared := kindOfType(mediaType)
	if source.sniffed {
		return declared
	}
	if IsPDF(source) {
		return kindPDF
	}
	mayBeFeed := declared == kindPage || declared == kindXML || declared == kindJSON
	mayBePage := mediaType == "" || mediaType == "text/plain" || mediaType == "application/octet-stream"
	switch {
	case mayBeFeed && feeds.LooksLike(mediaType, source.Body):
		return kindFeed
	case mayBePage && looksLikePage(source.Body):
		return kindPage
	}
	return declared
}

func kindOfType(mediaType string) kind {
	switch mediaType {
	case "text/html", "application/xhtml+xml":
		return kindPage
	case "application/pdf", "application/x-pdf":
		return kindPDF
	case "text/markdown", "text/x-markdown":
		return kindMarkdown
	case "text/csv", "text/tab-separated-values", "application/csv", "text/comma-separated-values":
		return kindTable
	case "application/json", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/json-seq", "text/json":
		return kindJSON
	case "application/xml", "text/xml":
		return kindXML
	case "text/plain":
		return kindPlain
	case "application/javascript", "application/yaml", "application/toml", "application/x-yaml":
		return kindCode
	}
	switch {
	case strings.HasPrefix(mediaType, "image/"):
		return kindImage
	case strings.HasSuffix(mediaType, "+json"):
		return kindJSON
	case strings.HasSuffix(mediaType, "+xml"):
		return kindXML
	case strings.HasPrefix(mediaType, "text/"):
		return kindCode
	}
	return kindUnsupported
}

// looksLikePage reports whether a body declares itself HTML.
func looksLikePage(body []byte) bool {
	const doctype = "<!doctype html"
	head := markup.Start(body)
	return len(head) >= len(doctype) && strings.EqualFold(head[:len(doctype)], doctype)
}

func plainDocument(text string) *Document {
	return &Document{HTML: "<pre>" + textAsHTML.Replace(text) + "</pre>", Markdown: text, Text: text}
}

// textAsHTML escapes text for an element; quotes need escaping only in attributes.
var textAsHTML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func codeDocument(language, text string) *Document {
	document := plainDocument(text)
	fence := "```"
	for strings.Contains(text, fence) && len(fence) < 32 {
		fence += "`"
	}
	document.Markdown = fence + language + "\n" + strings.TrimRight(text, "\r\n") + "\n" + fence
	return document
}

// indented returns JSON indented, or body as it is if it is no JSON, has a value on each line, or is too large or deep.
func indented(body []byte) string {
	if len(body) > jsonIndentBytesMax || bracketDepth(body) > jsonIndentDepthMax {
		return string(body)
	}
	var out bytes.Buffer
	if json.Indent(&out, body, "", "  ") != nil {
		return string(body)
	}
	return out.String()
}

// bracketDepth is how deep the JSON in body nests.
func bracketDepth(body []byte) int {
	depth, deepest := 0, 0
	inString := false
	for i := 0; i < len(body); i++ {
		switch b := body[i]; {
		case b == '"':
			inString = !inString
		case inString && b == '\\':
			i++
		case inString:
		case b == '[' || b == '{':
			depth++
			deepest = max(deepest, depth)
		case b == ']' || b == '}':
			depth--
		}
	}
	return deepest
}

// Source is a fetched or rendered body.
type Source struct {
	// URL is the address of the body, absolute, after redirects.
	URL string
	// StatusCode is that of the target's response; 0 if there was no request.
	StatusCode int
	// MediaType is in lower case and without parameters.
	MediaType string
	// Header is the response's; it may be nil.
	Header http.Header
	// Body is in UTF-8 if it is text.
	Body []byte
	// Rendered reports whether a browser produced the body.
	Rendered bool

	// sniffed is set if the body is not what it looked like.
	sniffed bool
}
