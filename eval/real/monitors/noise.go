package monitors

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Noise is what sites show besides what they say. noise.json describes it.
type Noise struct {
	Each      [2]int
	Whole     map[string]float64
	Lists     map[string][]string
	Templates []struct {
		Name, HTML, When string
		At               []string
		Share            float64
	}
}

// Answer is one answer of a site: which version, and which look at it (0 is the run's own). Without a seed there is no noise.
type Answer struct {
	Seed          uint64
	Version, Look int
}

// Time is when the site answers. Versions are a day apart, and some minutes.
func (a Answer) Time() time.Time {
	return time.Date(2026, 3, 1+a.Version, 8, a.Version*7, a.Look*20, 0, time.UTC)
}

var (
	classes     = regexp.MustCompile(`class="[\w -]*\w"`)
	links       = regexp.MustCompile(`(href="/[^"?#]*)"`)
	items       = regexp.MustCompile(`<(?:li|h2|h3)\b[^>]*>(?:<a\b[^>]*>)?([^<>]{15,80})<`)
	oneOf       = regexp.MustCompile(`\{one:((?:[^{}]|\{[^{}]*\})*)\}`)
	placeholder = regexp.MustCompile(`\{([^{}]+)\}`)
	numeral     = regexp.MustCompile(`\d[\d,]*`)
	oclock      = regexp.MustCompile(`\d{1,2}:\d{2}`)
	// places are where noise is put: at the empty group of the first pattern that the page has.
	places = map[string][]string{
		"head": {`()</head>`}, "top": {`<body[^>]*>()`}, "before": {`<main[^>]*>()`, `()<h1`}, "mid": {`</p>()\s*<p\b`, `()</main>`, `()<footer`},
		"side": {`()</aside>`, `()</main>`}, "after": {`()</main>`, `()<footer`}, "foot": {`()</footer>`}, "end": {`()</body>`},
	}
)

// HTML is what the site answers. at says in which version each edit is new; 0 is never.
func (s *Set) HTML(p *Page, a Answer, at []int) string {
	shown, spans := a.Version, []span{}
	if a.Look == 0 && a.Version == s.cached(p, a.Seed, at) {
		shown -= 2
	}
	for i, e := range p.Edits {
		if at[i] > 0 && at[i] <= shown {
			spans = append(spans, p.spans(e.Spot, e.Replace)...)
		}
	}
	if a.Seed == 0 {
		return p.with(spans)
	}
	for i := range p.Vary {
		spans = append(spans, p.varied(a, i)...)
	}
	page, r, inserts := p.with(spans), draw(a.Seed, p.ID, "choice"), map[int]string{}
	for _, n := range r.Perm(len(s.Noise.Templates))[:s.Noise.Each[0]+r.IntN(s.Noise.Each[1]-s.Noise.Each[0]+1)] {
		t := s.Noise.Templates[n]
		place := position(page, t.At[r.IntN(len(t.At))], r.IntN(4))
		names := map[string][]any{"page": {p.ID, t.Name}, "version": {p.ID, t.Name, a.Version}, "look": {p.ID, t.Name, a.Version, a.Look}}[t.When]
		if chance := draw(a.Seed, names...); chance.Float64() < t.Share {
			inserts[place] += s.fill(t.HTML, p, a, chance)
		}
	}
	for _, place := range slices.Backward(slices.Sorted(maps.Keys(inserts))) {
		page = page[:place] + inserts[place] + page[place:]
	}
	if r.Float64() < s.Noise.Whole["classes"] {
		page = classes.ReplaceAllStringFunc(page, func(name string) string {
			if draw(a.Seed, "hashed", name).IntN(3) > 0 {
				return name
			}
			return name[:len(name)-1] + "_" + letters(draw(a.Seed, name, a.Version/3), 5) + `"`
		})
	}
	if r.Float64() < s.Noise.Whole["sessions"] {
		page = links.ReplaceAllString(page, `${1}?sid=`+letters(draw(a.Seed, p.ID, a.Version, a.Look), 16)+`"`)
	}
	return page
}

// cached is the version whose first answer is an older copy: one without new edits, after one with some; 0 for none.
func (s *Set) cached(p *Page, seed uint64, at []int) int {
	r := draw(seed, p.ID, "cache")
	if v := 4 + r.IntN(7); seed > 0 && r.Float64() < s.Noise.Whole["cache"] && slices.Contains(at, v-1) && !slices.Contains(at, v) {
		return v
	}
	return 0
}

// position is the last place where something closes, the first where something opens, and any between paragraphs.
func position(page, at string, nth int) int {
	for _, pattern := range places[at] {
		if all := regexp.MustCompile(pattern).FindAllStringSubmatchIndex(page, -1); len(all) > 0 {
			if strings.HasPrefix(pattern, "()</") {
				nth = len(all) - 1
			} else if at != "mid" {
				nth = 0
			}
			return all[min(nth, len(all)-1)][2]
		}
	}
	return len(page)
}

// fill fills the placeholders of a template.
func (s *Set) fill(template string, p *Page, a Answer, r *rand.Rand) string {
	once := draw(a.Seed, p.ID, template)
	template = oneOf.ReplaceAllStringFunc(template, func(match string) string {
		return pick(r, strings.Split(oneOf.FindStringSubmatch(match)[1], "|"))
	})
	return placeholder.ReplaceAllStringFunc(template, func(match string) string {
		name, argument, _ := strings.Cut(strings.Trim(match, "{}"), ":")
		from, to, _ := strings.Cut(argument, ":")
		first, _ := strconv.Atoi(from)
		second, _ := strconv.Atoi(to)
		switch name {
		case "pick":
			return pick(r, s.Noise.Lists[from])
		case "int":
			return strconv.Itoa(first + r.IntN(second-first+1))
		case "hex":
			return letters(r, first)
		case "build":
			return letters(draw(a.Seed, p.ID, a.Version/3), 6)
		case "count":
			return commas(first/2 + once.IntN(first) + second*a.Version + r.IntN(second/4+1) + a.Look)
		case "own":
			return pick(r, p.own)[1]
		case "time":
			return a.Time().Format(argument)
		}
		list, shuffled := s.Noise.Lists[to], "" // {shuffle:ELEMENT:LIST}
		members := once.Perm(len(list))[:5]
		for _, i := range r.Perm(len(members)) {
			shuffled += fmt.Sprintf(`<%s><a href="/%d">%s</a></%[1]s> `, from, members[i], list[members[i]])
		}
		return shuffled
	})
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func letters(r *rand.Rand, n int) (text string) {
	for range n {
		text += string("abcdef0123456789ghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[r.IntN(62)])
	}
	return text
}

func commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// varied is what the page's own noise is in an answer: drawn for each version on half the pages, for each look on the others.
func (p *Page) varied(a Answer, number int) (all []span) {
	r := draw(a.Seed, p.ID, "vary", number, a.Version, a.Look*draw(a.Seed, p.ID, number).IntN(2))
	for _, spot := range p.Vary[number].Items {
		all = append(all, p.spans(spot, spot.Find)...)
	}
	order, old := r.Perm(len(all)), slices.Clone(all)
	for i := range all {
		switch p.Vary[number].Kind {
		case "shuffle":
			all[i].text = old[order[i]].text
		case "clock":
			all[i].text = oclock.ReplaceAllString(old[i].text, a.Time().Format("15:04"))
		case "ago":
			all[i].text = numeral.ReplaceAllString(old[i].text, strconv.Itoa(1+r.IntN(58)))
		case "counter": // grows by a thousandth a day, or by one
			all[i].text = numeral.ReplaceAllStringFunc(old[i].text, func(n string) string {
				value, _ := strconv.Atoi(strings.ReplaceAll(n, ",", ""))
				if value += a.Version*(1+value/1000) + r.IntN(2); strings.Contains(n, ",") {
					return commas(value)
				}
				return strconv.Itoa(value)
			})
		}
	}
	return all
}
