package almanac

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// New builds the part. origin is as in [answersite.NewSet].
func New(origin func(host string) string) *answersite.Set {
	s := answersite.NewSet("almanac", origin)
	for _, families := range [][]family{structures(), nature(), lives(), games(), science(), civic(), press(), manuals(), home(), visits(), files()} {
		for _, f := range families {
			f.add(s)
		}
	}
	return s
}

// family is a sort of thing with a page for each row.
type family struct {
	// name is its folder, page the type of its pages.
	name, page string
	// cols are the names of its facts, between commas, each with its type after a colon; the first is the thing's name.
	cols string
	// rows are the things: cells between bars; "shown==value" where the page writes a value in another form, and "-" where the
	// page does not say it.
	rows []string
	// pages are taken in turn. The first line is the host, the frame and the title, between bars; the rest is the page, with
	// {column} and {column:how} for what is shown. A line with a column that the row has no cell for is left out.
	pages []string
	// tasks are what is asked: "rows form | text | wants", as read by task.
	tasks []string
}

func (f family) add(s *answersite.Set) {
	columns := strings.Split(f.cols, ",")
	pages := make([]*answersite.Page, len(f.rows))
	facts := make([]map[string]cell, len(f.rows))
	for i, row := range f.rows {
		cells := strings.Split(row, "|")
		if len(cells) != len(columns) {
			panic(fmt.Sprintf("almanac: %s: %d cells for %d columns in %s", f.name, len(cells), len(columns), row))
		}
		known := map[string]cell{}
		for j, column := range columns {
			name, kind, _ := strings.Cut(column, ":")
			known[name] = read(kind, strings.TrimSpace(cells[j]))
		}
		facts[i] = known
		pages[i] = f.publish(s, i, known)
	}
	for n, text := range f.tasks {
		f.ask(s, n, text, pages, facts)
	}
}

// publish adds the page of a row.
func (f family) publish(s *answersite.Set, i int, known map[string]cell) *answersite.Page {
	head, text, _ := strings.Cut(strings.TrimSpace(f.pages[i%len(f.pages)]), "\n")
	parts := strings.SplitN(head, "|", 3)
	if len(parts) != 3 {
		panic(fmt.Sprintf("almanac: %s: %q is no host, frame and title", f.name, head))
	}
	host, frame, name := parts[0], parts[1], known["name"].shown
	escape := answersite.Esc
	if f.page == "PDF" || f.page == "JSON" {
		escape = func(text string) string { return text }
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line, ok := fill(line, known, escape); ok {
			lines = append(lines, line)
		}
	}
	title, _ := fill(parts[2], known, func(text string) string { return text })
	for column, c := range known {
		switch shows := func(how string) bool { return strings.Contains(head+text, "{"+column+how) }; {
		case shows("}") || shows(":cap}"):
		case shows(":raw}") && c.value.Items == nil:
			c.shown = c.value.Text
		case !shows(":"):
			c.untold = true
		}
		known[column] = c
	}
	path := "/" + f.name + "/" + slug(name)
	body := strings.Join(lines, "\n")
	switch f.page {
	case "PDF":
		return s.AddBody(host, path+".pdf", f.page, "application/pdf", answersite.PDF(title, wrapped(lines)...))
	case "JSON":
		return s.AddBody(host, path+".json", f.page, "application/json", []byte(body))
	case "feed":
		return s.AddBody(host, path+".xml", f.page, "application/rss+xml", []byte(body))
	}
	return s.Add(host, path, f.page, framed(frame, host, title, body))
}

// wrapped breaks lines as a typesetter would.
func wrapped(text []string) []string {
	const wide = 88
	var lines []string
	for _, paragraph := range text {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+len(word) > wide {
				lines = append(lines, line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		lines = append(lines, line)
	}
	return lines
}

// slug is a name as a part of a path.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r < 128 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
