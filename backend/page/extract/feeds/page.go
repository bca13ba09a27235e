package feeds

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// Page writes the feed as an HTML page, so that all its outputs can be produced like those of pages; without contents it
// leaves out the entries' contents, which are too complex together.
func (d *Draft) Page(contents bool) []byte {
	var out bytes.Buffer
	if d.Title != "" {
		fmt.Fprintf(&out, "<h1>%s</h1>\n", linked(d.URL, d.Title))
	} else if d.URL != "" {
		fmt.Fprintf(&out, "<p>%s</p>\n", linked(d.URL, d.URL))
	}
	if d.Description != "" && d.Description != d.Title {
		fmt.Fprintf(&out, "<p>%s</p>\n", html.EscapeString(d.Description))
	}
	for i := range d.entries {
		d.entries[i].write(&out, contents)
	}
	return out.Bytes()
}

func (e *entryDraft) write(out *bytes.Buffer, contents bool) {
	title := e.Title
	if title == "" {
		title = e.URL
	}
	if title == "" {
		title = "Untitled"
	}
	fmt.Fprintf(out, "<article>\n<h2>%s</h2>\n", linked(e.URL, title))
	var byline []string
	if when := e.Published; !when.IsZero() || !e.Updated.IsZero() {
		if when.IsZero() {
			when = e.Updated
		}
		byline = append(byline, `<time datetime="`+when.Format(time.RFC3339)+`">`+when.Format(time.DateOnly)+"</time>")
	}
	if e.Author != "" {
		byline = append(byline, html.EscapeString(e.Author))
	}
	if len(byline) > 0 {
		fmt.Fprintf(out, "<p>%s</p>\n", strings.Join(byline, " · "))
	}
	switch {
	case e.Content != "" && contents:
		fmt.Fprintf(out, "<div>%s</div>\n", e.Content)
	case e.Summary != "":
		for paragraph := range strings.SplitSeq(e.Summary, "\n\n") {
			fmt.Fprintf(out, "<p>%s</p>\n", html.EscapeString(paragraph))
		}
	}
	for _, a := range e.attachments {
		if a.url != "" {
			fmt.Fprintf(out, "<p>%s</p>\n", linked(a.url, strings.TrimSpace("Attachment "+a.mediaType)))
		}
	}
	out.WriteString("</article>\n")
}

// linked is a link to an address, or only its text if there is none.
func linked(address, text string) string {
	if address == "" {
		return html.EscapeString(text)
	}
	return `<a href="` + html.EscapeString(address) + `">` + html.EscapeString(text) + "</a>"
}
