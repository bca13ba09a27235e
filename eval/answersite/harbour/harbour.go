package harbour

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const seed = 1884

// New makes the part. origin is where a host is served; nil: https and the host.
func New(origin func(host string) string) *answersite.Set {
	w := &world{Set: answersite.NewSet("harbour", origin), chance: answersite.Rand(seed)}
	w.people = names(w.chance)
	for _, kinds := range [][]kind{firms(), places(), events(), travel(), lessons(), health(), goods(), guides(), talk(), files()} {
		for _, k := range kinds {
			w.add(k)
		}
	}
	return w.Set
}

// world is the set while it is made.
type world struct {
	*answersite.Set
	chance *rand.Rand
	people []string
	// language is that of the page that is read for: "de", or "" for English.
	language string
}

// kind is a sort of thing with a page for each row.
type kind struct {
	// name is what its tasks are called by, page the type of its pages.
	name, page string
	// cols are its facts, one on a line: "key kind(options)|field|what it is called|a question for it|clue,clue". The first is the
	// thing's name.
	cols string
	// rows have a cell for each column between bars: "shown=meant", "*" for one that comes of the seed, "-" where there is none.
	rows []string
	// looks are the sites that show it, in turn.
	looks []look
	// asks are tasks: "rows|mode form|text|column, column|ghost". The text "?" is the question of each column in a task of its own.
	// A column with "^twin@3" or "^other@3" is absent, and what row 3 has is the lure; "!" before it: though the page says it.
	asks []string
}

// look is a site's markup of a thing: the title in its first line and then the body. {{x}} is a fact as it is shown, {{x#}} as
// it is meant, {{x!}} not escaped, {{x*li}} a list as elements, {{x%…}} a list of objects with $1 and so on, {{~x}} that of the
// next row. A line or a [[part]] of one is left out if a fact of it is not known.
type look struct {
	// frame is what stands around it, at its host and the folder of its pages, with {} for the thing's name.
	frame, at string
	text      string
}

// column is one of a kind's facts.
type column struct {
	key, kind, of               string
	field, ask, question, clues string
}

// fact is a cell that was read.
type fact struct {
	shown, meant, proof string
	value               answersite.Value
}

// thing is a row and its page.
type thing struct {
	known, said map[string]fact
	page        *answersite.Page
}

var (
	optional = regexp.MustCompile(`\[\[(.*?)\]\]`)
	placed   = regexp.MustCompile(`\{\{(~?)([a-z][a-z_0-9]*)(?:([#!])|\*([^}]*)|%([^}]*))?\}\}`)
	ends     = regexp.MustCompile(`</(?:p|h[1-4]|dd|li|tr|div|details|a)>|<br>|[.!?] `)
	element  = regexp.MustCompile(`</?[a-z][a-z0-9]*(?: [^<>{]*)?>`)
	empty    = regexp.MustCompile(`<p[^>]*></p>|<li[^>]*></li>|<td[^>]*></td>|<th[^>]*></th>|<tr[^>]*></tr>|<dt[^>]*></dt>|<dd[^>]*></dd>|<div[^>]*></div>|<span[^>]*></span>|<b></b>|<strong></strong>|<h[1-4][^>]*></h[1-4]>|<summary></summary>|<details></details>|</a>|<br>`)
	notSlug  = regexp.MustCompile(`[^a-z0-9]+`)
	accents  = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e", "à", "a", "ç", "c", "ñ", "n", "í", "i", "ó", "o", "á", "a", "ø", "o", "'", "")
)

func slug(name string) string {
	return strings.Trim(notSlug.ReplaceAllString(accents.Replace(strings.ToLower(name)), "-"), "-")
}

func columnsOf(cols string) []column {
	var columns []column
	for line := range strings.Lines(strings.TrimSpace(cols)) {
		parts := append(strings.Split(strings.TrimSpace(line), "|"), "", "", "", "")
		key, kind, _ := strings.Cut(parts[0], " ")
		kind, of, _ := strings.Cut(kind, "(")
		columns = append(columns, column{key, kind, strings.TrimSuffix(of, ")"), parts[1], parts[2], parts[3], parts[4]})
	}
	return columns
}

// add adds the pages of a kind and its tasks.
func (w *world) add(k kind) {
	columns := columnsOf(k.cols)
	things := make([]*thing, len(k.rows))
	hosts := make([]string, len(k.rows))
	paths := make([]string, len(k.rows))
	for i, row := range k.rows {
		cells := strings.Split(row, "|")
		if len(cells) != len(columns) {
			panic(fmt.Sprintf("harbour: %s: %d cells for %d columns in %s", k.name, len(cells), len(columns), row))
		}
		w.language = languages[k.looks[i%len(k.looks)].frame]
		t := &thing{known: map[string]fact{}, said: map[string]fact{}}
		for j, c := range columns {
			if j == 1 {
				name := slug(t.known[columns[0].key].shown)
				at := k.looks[i%len(k.looks)].at
				if !strings.Contains(at, "{}") && strings.HasSuffix(at, "/") {
					at += name
				}
				host, path, _ := strings.Cut(strings.ReplaceAll(at, "{}", name), "/")
				hosts[i], paths[i] = host, "/"+path
			}
			if cells[j] != "-" {
				t.known[c.key] = w.read(c, cells[j], hosts[i], t.known)
			}
		}
		t.said[columns[0].key] = t.known[columns[0].key]
		things[i] = t
	}
	for i, t := range things {
		l := k.looks[i%len(k.looks)]
		text := l.render(t, things[(i+1)%len(things)])
		body, media := framed(l.frame, hosts[i], text)
		kind := k.page
		switch l.frame {
		case "pdf":
			kind = "PDF"
		case "json":
			kind = "JSON"
		case "feed":
			kind = "feed"
		}
		t.page = w.AddBody(hosts[i], paths[i], kind, media, body)
	}
	for n, line := range k.asks {
		w.ask(k, n, line, columns, things)
	}
}

// render puts facts in, and leaves out what has none. Those of the thing itself are said.
func (l look) render(t, next *thing) string {
	fill := func(text string) (string, bool) {
		whole := true
		text = placed.ReplaceAllStringFunc(text, func(mark string) string {
			parts := placed.FindStringSubmatch(mark)
			of := t
			if parts[1] != "" {
				of = next
			}
			f, ok := of.known[parts[2]]
			whole = whole && ok
			return f.placed(parts[3], parts[4], parts[5])
		})
		return text, whole
	}
	say := func(text string) {
		for _, parts := range placed.FindAllStringSubmatch(text, -1) {
			if parts[1] == "" {
				t.said[parts[2]] = t.known[parts[2]]
			}
		}
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(l.text), "\n") {
		line = optional.ReplaceAllStringFunc(line, func(part string) string {
			part = strings.TrimSuffix(strings.TrimPrefix(part, "[["), "]]")
			if _, whole := fill(part); !whole {
				return ""
			}
			return part
		})
		filled, whole := fill(line)
		if !whole && len(placed.FindAllString(line, 2)) > 1 && !strings.HasPrefix(line, "<script") && frames[l.frame] != "" {
			line = withoutUnknown(line, fill)
			filled, whole = fill(line)
		}
		if whole {
			say(line)
			lines = append(lines, filled)
		}
	}
	return strings.Join(lines, "\n")
}

// withoutUnknown leaves out the sentences, rows and entries of a line whose facts are not known.
func withoutUnknown(line string, fill func(string) (string, bool)) string {
	var b strings.Builder
	for part := range strings.SplitSeq(ends.ReplaceAllString(line, "$0\x00"), "\x00") {
		if _, whole := fill(part); !whole {
			part = strings.Join(element.FindAllString(part, -1), "")
			for emptied := ""; emptied != part; {
				emptied, part = part, empty.ReplaceAllString(part, "")
			}
		}
		b.WriteString(part)
	}
	return b.String()
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
				line = strings.ReplaceAll(line, fmt.Sprint("$", i+1), answersite.Esc(cell))
			}
			b.WriteString(line)
		}
	default:
		return answersite.Esc(f.shown)
	}
	return b.String()
}
