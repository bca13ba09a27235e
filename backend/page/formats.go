package page

import "github.com/danielgtaylor/huma/v2"

// Format is one form of a page's content.
type Format string

// The formats.
const (
	FormatHTML       Format = "html"
	FormatMarkdown   Format = "markdown"
	FormatText       Format = "text"
	FormatJSON       Format = "json"
	FormatRawPDF     Format = "raw_pdf"
	FormatScreenshot Format = "screenshot"
)

// Formats returns all formats.
func Formats() []Format {
	return []Format{FormatHTML, FormatMarkdown, FormatText, FormatJSON, FormatRawPDF, FormatScreenshot}
}

// IsText reports whether content in f is text, which responses may contain, and not a file.
func (f Format) IsText() bool { return f != FormatRawPDF && f != FormatScreenshot }

// Schema lists the formats.
func (Format) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, format := range Formats() {
		s.Enum = append(s.Enum, string(format))
	}
	return s
}
