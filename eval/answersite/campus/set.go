package campus

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// New builds the part. origin is as in [answersite.NewSet].
func New(origin func(host string) string) *answersite.Set {
	s := answersite.NewSet("campus", origin)
	for _, kinds := range [][]kind{organisations(), people(), works(), happenings(), goods(), technical(), places(), notices()} {
		for _, k := range kinds {
			k.add(s)
		}
	}
	return s
}

// kind is a sort of thing with a page for each row.
type kind struct {
	// name is its folder, page the type of its pages, host where they stand.
	name, page, host string
	// cols are the names of its facts, each with its type after a colon; the first is the thing's name.
	cols string
	// rows are the things: cells between bars; "shown=value" where the page writes a value in another form.
	rows []string
	// texts are the ways in which a page is written, in turn. The first line is the title; "# " and "## " are headings, "- "
	// entries, lines that begin with < are markup.
	texts []string
	asks  []asked
}

// asked is a task about some of the rows.
type asked struct {
	rows []int
	mode answersite.Mode
	form answersite.Form
	// text is the task, with {name}, {url} and columns.
	text string
	// wants are fields between semicolons: name=column~description, or name=!type for what the page does not say,
	// name=!type@twin:words for what only a namesake's page says, and name=!type@other:words for what it says of another time.
	wants string
	// ghost is a name that nothing has.
	ghost string
}

const (
	byURL    = answersite.Named
	bySearch = answersite.Searched
	none     = answersite.FormNone
	empty    = answersite.FormEmpty
	told     = answersite.FormDescribed
	schema   = answersite.FormSchema
	plain    = answersite.FormString
)

// cell is a fact as it is shown, and its value.
type cell struct {
	shown string
	value answersite.Value
}

func (k kind) add(s *answersite.Set) {
	columns := strings.Split(k.cols, ",")
	var pages []*answersite.Page
	var facts []map[string]cell
	for i, row := range k.rows {
		cells := strings.Split(row, "|")
		if len(cells) != len(columns) {
			panic(fmt.Sprintf("campus: %s: %d cells for %d columns in %s", k.name, len(cells), len(columns), row))
		}
		known := map[string]cell{}
		for j, column := range columns {
			name, kind, _ := strings.Cut(strings.TrimSuffix(column, "="), ":")
			known[name] = read(kind, cells[j], i)
		}
		name := known["name"].shown
		body, media := k.body(i, known)
		pages = append(pages, s.AddBody(k.host, "/"+k.name+"/"+slug(name), k.page, media, body))
		facts = append(facts, known)
	}
	for n, a := range k.asks {
		for _, row := range a.rows {
			k.ask(s, n, row, a, pages[row], facts[row])
		}
	}
}

func (k kind) ask(s *answersite.Set, n, row int, a asked, page *answersite.Page, known map[string]cell) {
	text := strings.NewReplacer("{url}", page.URL).Replace(fill(a.text, known))
	if a.ghost != "" {
		text = strings.ReplaceAll(a.text, "{name}", a.ghost)
	}
	var fields []answersite.Described
	for spec := range strings.SplitSeq(a.wants, ";") {
		spec, ask, _ := strings.Cut(fill(spec, known), "~")
		field, column, _ := strings.Cut(strings.TrimSpace(spec), "=")
		want := answersite.Want{URLs: []string{page.URL}}
		absent, lure := answersite.NoField, ""
		kind, missing := strings.CutPrefix(column, "!")
		if missing {
			kind, lure, _ = strings.Cut(kind, "@")
			if why, words, ok := strings.Cut(lure, ":"); ok {
				absent, lure = map[string]answersite.Absence{"twin": answersite.OnlyTwin, "other": answersite.OnlyOther}[why], words
			}
			want.Value = typed(kind)
		} else {
			want.Value, want.Shown = known[column].value, known[column].shown
			if missing = !strings.Contains(k.texts[row%len(k.texts)], "{"+column+"}"); missing {
				want.Value = answersite.Value{Type: want.Value.Type, Allowed: want.Value.Allowed, Whole: want.Value.Whole}
			}
		}
		if missing || a.ghost != "" {
			want.Absent, want.Shown = absent, ""
			want.Value.Text, want.Value.Items = "", nil
			if lure != "" {
				want.Lures = []string{lure}
			}
		}
		if a.ghost != "" {
			want.Absent, want.Subject, want.URLs = answersite.NoSubject, a.ghost, nil
		}
		fields = append(fields, answersite.Described{Field: field, Ask: ask, Want: want})
	}
	s.Pose(fmt.Sprintf("%s/%d/%d", k.name, n, row), a.mode, a.form, text, fields...)
}

func typed(kind string) answersite.Value {
	switch kind {
	case "int":
		return answersite.Int(0)
	case "num":
		return answersite.Num(0)
	case "date":
		return answersite.Day(time.Time{})
	case "price":
		return answersite.Money(0, "")
	case "mail":
		return answersite.Mail("")
	case "tel":
		return answersite.Tel("")
	case "url":
		return answersite.Link("")
	case "list":
		return answersite.Several()
	case "bool":
		return answersite.Is(false)
	}
	return answersite.Str("")
}

// read is a cell of a type; row decides how dates and prices are written.
func read(kind, text string, row int) cell {
	shown, value, given := strings.Cut(text, "=")
	if !given {
		value = shown
	}
	kind, allowed, _ := strings.Cut(kind, "(")
	number, _ := strconv.ParseFloat(value, 64)
	switch kind {
	case "int":
		if !given && len(shown) > 4 {
			shown = answersite.Group(number, 0, []string{",", " ", ","}[row%3], ".")
		}
		return cell{shown, answersite.Int(int(number))}
	case "year":
		return cell{shown, answersite.Int(int(number))}
	case "num":
		return cell{shown, answersite.Num(number)}
	case "date":
		day, err := time.Parse(time.DateOnly, value)
		if err != nil {
			panic(err)
		}
		if !given {
			shown = day.Format([]string{"2 January 2006", "January 2, 2006", "Monday, 2 January 2006", "2 Jan 2006"}[row%4])
		}
		return cell{shown, answersite.Day(day)}
	case "eur", "usd", "gbp":
		code := strings.ToUpper(kind)
		if !given {
			sign := map[string]string{"eur": "€", "usd": "$", "gbp": "£"}[kind]
			shown = sign + shown
			if kind == "eur" && row%2 == 1 {
				shown = value + " euros"
			}
		}
		return cell{shown, answersite.Money(number, code)}
	case "mail":
		return cell{shown, answersite.Mail(value)}
	case "tel":
		return cell{shown, answersite.Tel(value)}
	case "url":
		return cell{shown, answersite.Link(value)}
	case "bool":
		return cell{shown, answersite.Is(value == "true")}
	case "list":
		items := strings.Split(shown, "/")
		last := len(items) - 1
		return cell{strings.Join(items[:last], ", ") + " and " + items[last], answersite.Several(items...)}
	case "enum":
		return cell{shown, answersite.OneOf(value, strings.Split(strings.TrimSuffix(allowed, ")"), "/")...)}
	}
	if given {
		return cell{shown, answersite.Str(value, shown)}
	}
	if _, bare, ok := strings.Cut(shown, " "); ok && (strings.HasPrefix(shown, "a ") || strings.HasPrefix(shown, "an ")) {
		return cell{shown, answersite.Str(shown, bare)}
	}
	return cell{shown, answersite.Str(shown)}
}

func fill(text string, known map[string]cell) string {
	for name, c := range known {
		text = strings.ReplaceAll(text, "{"+name+"}", c.shown)
	}
	return text
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func slug(name string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

func (k kind) body(row int, known map[string]cell) ([]byte, string) {
	text := fill(k.texts[row%len(k.texts)], known)
	switch k.page {
	case "feed":
		return []byte(text), "application/rss+xml"
	case "JSON":
		return []byte(text), "application/json"
	}
	title, text, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if k.page == "PDF" {
		return answersite.PDF(title, wrapped("# "+title+"\n"+text)...), "application/pdf"
	}
	return []byte(document(k.host, title, text, row)), "text/html"
}

// wrapped breaks lines as a typesetter would.
func wrapped(text string) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+len(word) > 90 {
				lines = append(lines, line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		lines = append(lines, line)
	}
	return lines
}

func document(host, title, text string, row int) string {
	var b strings.Builder
	site := strings.TrimSuffix(strings.TrimPrefix(host, "www."), ".example")
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title></head><body>", html.EscapeString(title))
	fmt.Fprintf(&b, `<header><a href="/">%s</a><nav><a href="/about">About us</a> <a href="/search">Search</a> <a href="/contact">Contact</a></nav></header>`, site)
	open, shut := "<main><article>", "</article></main>"
	if row%3 == 1 {
		open, shut = `<div id="content"><div class="text">`, "</div></div>"
	}
	b.WriteString(open)
	list := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		entry, isEntry := strings.CutPrefix(line, "- ")
		if isEntry != list {
			b.WriteString(map[bool]string{true: "<ul>", false: "</ul>"}[isEntry])
			list = isEntry
		}
		switch {
		case line == "":
		case isEntry:
			b.WriteString("<li>" + html.EscapeString(entry) + "</li>")
		case strings.HasPrefix(line, "<"):
			b.WriteString(line)
		case strings.HasPrefix(line, "## "):
			b.WriteString("<h2>" + html.EscapeString(line[3:]) + "</h2>")
		case strings.HasPrefix(line, "# "):
			b.WriteString("<h1>" + html.EscapeString(line[2:]) + "</h1>")
		default:
			b.WriteString("<p>" + html.EscapeString(line) + "</p>\n")
		}
	}
	if list {
		b.WriteString("</ul>")
	}
	fmt.Fprintf(&b, `%s<footer><p>%s &middot; All rights reserved &middot; <a href="/privacy">Privacy</a></p></footer></body></html>`, shut, site)
	return b.String()
}
