package pdf

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode"
)

// Text is the text of all blocks: paragraphs apart, items and rows on lines of their own, cells apart by tabs.
func (d *Document) Text() string {
	var out strings.Builder
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if i > 0 {
			out.WriteString(separator(&d.Blocks[i-1], b))
		}
		switch b.Kind {
		case Table:
			for j, row := range b.Rows {
				if j > 0 {
					out.WriteByte('\n')
				}
				out.WriteString(strings.Join(row, "\t"))
			}
		case ListItem:
			out.WriteString(strings.Repeat("  ", max(b.Level-1, 0)))
			if b.Marker != "" {
				out.WriteString(b.Marker + " ")
			} else {
				out.WriteString("• ")
			}
			out.WriteString(b.Text)
		case Paragraph, Heading, Code:
			out.WriteString(b.Text)
		}
	}
	return out.String()
}

// separator is what stands between two blocks: items of one list are not apart.
func separator(a, b *Block) string {
	if a.Kind == ListItem && b.Kind == ListItem {
		return "\n"
	}
	return "\n\n"
}

// Markdown is CommonMark with tables.
func (d *Document) Markdown() string {
	var out strings.Builder
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if i > 0 {
			out.WriteString(separator(&d.Blocks[i-1], b))
			if d.Blocks[i-1].Kind == ListItem && b.Kind == Code {
				out.WriteString("<!-- -->\n\n") // else it would be a part of the item
			}
		}
		switch b.Kind {
		case Heading:
			out.WriteString(strings.Repeat("#", b.Level) + " " + b.markdown())
		case ListItem:
			out.WriteString(strings.Repeat("    ", max(b.Level-1, 0)) + itemMark(b.Marker) + " " + b.markdown())
		case Code:
			fence := "```"
			for strings.Contains(b.Text, fence) && len(fence) < 32 {
				fence += "`"
			}
			out.WriteString(fence + "\n" + b.Text + "\n" + fence)
		case Table:
			writeTable(&out, b.Rows)
		case Paragraph:
			out.WriteString(lineStart(b.markdown()))
		}
	}
	return out.String()
}

// itemMark is the mark of a list item in markdown, which knows numbers only.
func itemMark(marker string) string {
	if marker == "" {
		return "-"
	}
	return fmt.Sprintf("%d.", ordinal(marker))
}

func writeTable(out *strings.Builder, rows [][]string) {
	for i, row := range rows {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteByte('|')
		for _, cell := range row {
			out.WriteString(" " + strings.ReplaceAll(escaped(cell), "|", `\|`) + " |")
		}
		if i == 0 {
			out.WriteString("\n|" + strings.Repeat(" --- |", len(row)))
		}
	}
}

// markdownEscaper escapes what would be markup anywhere in a line.
var markdownEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "`", "\\`", "[", `\[`, "]", `\]`, "<", `\<`)

func escaped(t string) string {
	t = markdownEscaper.Replace(t)
	if !strings.Contains(t, "_") {
		return t
	}
	// An underscore within a word is none that marks anything.
	var out strings.Builder
	for i := range len(t) {
		if t[i] == '_' && (i == 0 || i+1 == len(t) || t[i-1] == ' ' || t[i+1] == ' ') {
			out.WriteByte('\\')
		}
		out.WriteByte(t[i])
	}
	return out.String()
}

// lineStart escapes what would be markup at the beginning of a line.
func lineStart(t string) string {
	if t == "" {
		return t
	}
	if strings.ContainsRune("#>+-=~|", rune(t[0])) {
		return `\` + t
	}
	digits := 0
	for digits < len(t) && unicode.IsDigit(rune(t[digits])) {
		digits++
	}
	if digits > 0 && digits+1 < len(t) && (t[digits] == '.' || t[digits] == ')') && t[digits+1] == ' ' {
		return t[:digits] + `\` + t[digits:]
	}
	return t
}

// markdown is a block's text with its links.
func (b *Block) markdown() string {
	var out strings.Builder
	b.pieces(func(t, uri string) {
		if uri == "" {
			out.WriteString(escaped(t))
		} else {
			out.WriteString("[" + escaped(t) + "](" + destination(uri) + ")")
		}
	})
	return out.String()
}

// pieces gives a block's text in parts, with the URI of those that are links. Only links to the web and to mail are
// links for others.
func (b *Block) pieces(each func(t, uri string)) {
	at := 0
	for _, s := range b.Spans {
		if s.Start < at || s.End > len(b.Text) || s.Start >= s.End || !linkable(s.URI) {
			continue
		}
		if s.Start > at {
			each(b.Text[at:s.Start], "")
		}
		each(b.Text[s.Start:s.End], s.URI)
		at = s.End
	}
	if at < len(b.Text) {
		each(b.Text[at:], "")
	}
}

// linkable reports whether a URI may stand in what others show: no scripts, no files.
func linkable(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "mailto", "ftp", "tel":
		return true
	}
	return false
}

// destination is a URI as the destination of a link in markdown.
func destination(uri string) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\\", "%5C", "\n", "", "\r", "", "\t", "").Replace(uri)
}

// HTML is simple semantic HTML, without a head.
func (d *Document) HTML() string {
	var out strings.Builder
	w := htmlWriter{out: &out}
	for i := range d.Blocks {
		w.block(&d.Blocks[i])
	}
	w.closeLists(0)
	return out.String()
}

// htmlWriter keeps the lists that are open.
type htmlWriter struct {
	out  *strings.Builder
	open []string
}

func (w *htmlWriter) closeLists(depth int) {
	for len(w.open) > depth {
		w.out.WriteString("</li>\n</" + w.open[len(w.open)-1] + ">\n")
		w.open = w.open[:len(w.open)-1]
	}
}

func (w *htmlWriter) block(b *Block) {
	if b.Kind != ListItem {
		w.closeLists(0)
	}
	switch b.Kind {
	case Paragraph:
		w.out.WriteString("<p>" + b.html() + "</p>\n")
	case Heading:
		fmt.Fprintf(w.out, "<h%d>%s</h%d>\n", b.Level, b.html(), b.Level)
	case ListItem:
		w.item(b)
	case Code:
		w.out.WriteString("<pre><code>" + html.EscapeString(b.Text) + "</code></pre>\n")
	case Table:
		w.out.WriteString("<table>\n")
		for _, row := range b.Rows {
			w.out.WriteString("<tr>")
			for _, cell := range row {
				w.out.WriteString("<td>" + html.EscapeString(cell) + "</td>")
			}
			w.out.WriteString("</tr>\n")
		}
		w.out.WriteString("</table>\n")
	}
}

func (w *htmlWriter) item(b *Block) {
	list := "ul"
	if b.Marker != "" {
		list = "ol"
	}
	level := max(b.Level, 1)
	w.closeLists(level)
	if len(w.open) == level && w.open[level-1] != list {
		w.closeLists(level - 1)
	}
	if len(w.open) == level {
		w.out.WriteString("</li>\n")
	}
	for len(w.open) < level {
		w.out.WriteString("<" + list)
		if n := ordinal(b.Marker); list == "ol" && n != 1 {
			fmt.Fprintf(w.out, ` start="%d"`, n)
		}
		w.out.WriteString(">\n")
		w.open = append(w.open, list)
		if len(w.open) < level {
			w.out.WriteString("<li>")
		}
	}
	w.out.WriteString("<li>" + b.html())
}

func (b *Block) html() string {
	var out strings.Builder
	b.pieces(func(t, uri string) {
		if uri == "" {
			out.WriteString(html.EscapeString(t))
		} else {
			out.WriteString(`<a href="` + html.EscapeString(uri) + `">` + html.EscapeString(t) + "</a>")
		}
	})
	return out.String()
}
