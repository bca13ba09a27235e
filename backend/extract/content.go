package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

const (
	// Indenting multiplies JSON by its depth; beyond these it is left as it came.
	jsonIndentBytesMax = 1 << 20
	jsonIndentDepthMax = 32
)

// Content reads a body of any type that has text, given in UTF-8: pages as Page does, other text as it is, JSON
// indented. mediaType is in lower case and without parameters. For other types the error is ErrUnsupportedContent.
func Content(ctx context.Context, mediaType string, body []byte, options Options) (*Document, error) {
	// Also where the body has no use for them: the same request must not be right or wrong by what the target sends.
	if _, err := options.compile(); err != nil {
		return nil, err
	}
	switch {
	case mediaType == "text/html" || mediaType == "application/xhtml+xml":
		return Page(ctx, body, options)
	case mediaType == "text/markdown" || mediaType == "text/x-markdown":
		document := plainDocument(string(body))
		document.Markdown = document.Text
		return document, nil
	case mediaType == "application/json" || strings.HasSuffix(mediaType, "+json") || mediaType == "application/x-ndjson":
		return codeDocument("json", indented(body)), nil
	case mediaType == "application/xml" || mediaType == "text/xml" || strings.HasSuffix(mediaType, "+xml"):
		return codeDocument("xml", string(body)), nil
	case mediaType == "text/plain":
		return plainDocument(string(body)), nil
	case strings.HasPrefix(mediaType, "text/"), mediaType == "application/javascript", mediaType == "application/yaml", mediaType == "application/toml":
		return codeDocument("", string(body)), nil
	}
	return nil, fmt.Errorf("%w: %.100q", ErrUnsupportedContent, mediaType)
}

func plainDocument(text string) *Document {
	return &Document{HTML: "<pre>" + html.EscapeString(text) + "</pre>", Markdown: text, Text: text}
}

func codeDocument(language, text string) *Document {
	document := plainDocument(text)
	fence := "```"
	for strings.Contains(text, fence) && len(fence) < 32 {
		fence += "`"
	}
	document.Markdown = fence + language + "\n" + strings.TrimRight(text, "\r\n") + "\n" + fence
	return document
}

// indented returns JSON for reading, or body as it is where it is none, or is too large or deep.
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
