package bazaar

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// New makes the part. origin is where a host is served; nil: https and the host.
func New(origin func(host string) string) *answersite.Set {
	s := answersite.NewSet("bazaar", origin)
	for _, kinds := range [][]kind{
		shops(), gadgets(), oddShops(), plans(), software(), references(), stays(), rentals(), tables(), cars(), jobs(), people(), courses(), events(),
		homes(), questions(), desks(), loose(),
	} {
		for _, k := range kinds {
			k.add(s)
		}
	}
	return s
}

// kind is a sort of thing with a page for each row.
type kind struct {
	// name is what its tasks are called by, page the type of its pages.
	name, page string
	// cols are its facts, each with its type after a colon; the first is the thing's name.
	cols string
	// rows are the things, with a cell for each column between bars: "shown=meant^proof", "-" where the thing has no such fact.
	// What is meant may be left out where it is what is shown, and so may the proof.
	rows []string
	// looks are the sites that show it, in turn.
	looks []look
	// asks are tasks: "rows|mode form|text|wants|ghost". Wants are "field=column~description", between semicolons, or
	// "field=!type~description@clue,clue^twin:lure" for what the page does not say. The ghost is a name that nothing has.
	asks []string
}

// look is a site's markup of a thing.
type look struct {
	// frame is what stands around it, at its host and the folder of its pages.
	frame, at string // with {} for the thing's name
	// text is the title in its first line and then the markup. {{x}} is a fact as it is shown, {{x#}} as it is meant, {{x*li}} a
	// list as elements, {{x%…}} a list of objects with $1 and so on, and {{x:type|cell}} a fact that is defined where it stands.
	text string
}

// fact is a cell that was read.
type fact struct {
	shown, meant, proof string
	value               answersite.Value
}

var (
	defined = regexp.MustCompile(`\{\{([a-z_0-9]+)(?::([a-z]+(?:\([^)]*\))?))?\|([^}]*)\}\}`)
	placed  = regexp.MustCompile(`\{\{([a-z_0-9]+)(?:([#!])|\*([^}]*)|%([^}]*))?\}\}`)
	notSlug = regexp.MustCompile(`[^a-z0-9]+`)
)

func slug(name string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

func (k kind) add(s *answersite.Set) {
	columns := strings.Fields(k.cols)
	pages, facts := make([]*answersite.Page, len(k.rows)), make([]map[string]fact, len(k.rows))
	for i, row := range k.rows {
		cells := strings.Split(row, "|")
		if len(cells) != len(columns) {
			panic(fmt.Sprintf("bazaar: %s: %d cells for %d columns in %s", k.name, len(cells), len(columns), row))
		}
		l := k.looks[i%len(k.looks)]
		subject, _, _ := strings.Cut(row, "|")
		host, folder, _ := strings.Cut(strings.Replace(l.at, "{}", slug(subject), 1), "/")
		known := map[string]fact{}
		for j, column := range columns {
			name, kind, _ := strings.Cut(column, ":")
			if cells[j] != "-" {
				known[name] = read(s, host, kind, cells[j])
			}
		}
		text := l.define(s, host, known)
		said := map[string]fact{"name": known["name"]}
		text = render(text, known, said)
		path := "/" + folder
		if strings.HasSuffix(path, "/") {
			path += slug(known["name"].shown)
		}
		body, media := framed(l.frame, host, text)
		pages[i], facts[i] = s.AddBody(host, path, k.page, media, body), said
	}
	for n, a := range k.asks {
		k.ask(s, n, a, pages, facts)
	}
}

// define reads the facts that the markup defines, and names them there.
func (l look) define(s *answersite.Set, host string, known map[string]fact) string {
	return defined.ReplaceAllStringFunc(l.text, func(mark string) string {
		parts := defined.FindStringSubmatch(mark)
		if _, twice := known[parts[1]]; twice {
			panic("bazaar: " + l.at + ": two facts " + parts[1])
		}
		known[parts[1]] = read(s, host, parts[2], parts[3])
		return "{{" + parts[1] + "}}"
	})
}

// render puts facts in, and leaves out the lines whose facts there are not. Those that were put in are said.
func render(text string, known, said map[string]fact) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		whole := true
		for _, mark := range placed.FindAllStringSubmatch(line, -1) {
			if _, ok := known[mark[1]]; !ok {
				whole = false
			}
		}
		if !whole {
			continue
		}
		lines = append(lines, placed.ReplaceAllStringFunc(line, func(mark string) string {
			parts := placed.FindStringSubmatch(mark)
			f := known[parts[1]]
			said[parts[1]] = f
			return f.placed(parts[2], parts[3], parts[4])
		}))
	}
	return strings.Join(lines, "\n")
}

// placed is a fact as markup.
func (f fact) placed(how, element, row string) string {
	var b strings.Builder
	switch {
	case how == "#":
		return answersite.Esc(f.meant)
	case how == "!":
		return f.shown
	case element != "":
		tag, _, _ := strings.Cut(element, " ")
		for _, item := range f.value.Items {
			b.WriteString("<" + element + ">" + answersite.Esc(item) + "</" + tag + ">\n")
		}
	case row != "":
		for entry := range strings.SplitSeq(f.shown, ";") {
			line := row
			for i, cell := range strings.Split(entry, ",") {
				shown, _, _ := strings.Cut(cell, "=")
				line = strings.ReplaceAll(line, fmt.Sprint("$", i+1), answersite.Esc(shown))
			}
			b.WriteString(line + "\n")
		}
	default:
		return answersite.Esc(f.shown)
	}
	return b.String()
}
