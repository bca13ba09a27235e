package frontier

import (
	"hash/fnv"
	"math/bits"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/fetch"
)

// Traits are what a URL's form tells of it.
type Traits struct {
	// Endless reports that part of it is a number, a date, a token or a parameter, so that there may be any number of its
	// shape.
	Endless bool
	// Dated reports that it has a date, or a parameter that calendars have.
	Dated bool
	// Paged reports that it has the number of a page of a list.
	Paged bool
	// Faceted reports that it has so many parameters that they may be combined.
	Faceted bool
}

// Serial reports whether URLs of the shape follow one another, by dates or pages: what differs in those alone says nothing
// new.
func (t Traits) Serial() bool { return t.Dated || t.Paged }

// facetsMin is from how many parameters on they may be combined.
const facetsMin = 2

// pagers are names of parameters, and of segments before a number, that lead from page to page.
var pagers = map[string]bool{
	"page": true, "p": true, "pg": true, "paged": true, "pagenum": true, "page_number": true, "pageno": true, "offset": true, "start": true, "from": true, "skip": true,
}

// calendars are names of parameters that lead from day to day.
var calendars = map[string]bool{
	"year": true, "month": true, "day": true, "week": true, "date": true, "cal": true, "calendar": true, "yr": true, "mo": true,
}

// Shape returns a number that is the same for URLs which only differ in numbers, dates, tokens and the values of their
// parameters: pages that one program is likely to make.
func Shape(u fetch.URL) (uint64, Traits) {
	_, path, query := split(u.WithoutFragment())
	return shapeOf(u.Host(), path, query)
}

func shapeOf(host, path, query string) (uint64, Traits) {
	var traits Traits
	var out strings.Builder
	out.WriteString(host)
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range segments {
		out.WriteByte('/')
		switch {
		case isYear(segment) && i+1 < len(segments) && isMonth(segments[i+1]): // /2026/11
			traits.Dated = true
			out.WriteByte('%')
		default:
			traits.Paged = traits.Paged || i > 0 && pagers[strings.ToLower(segments[i-1])] && isNumber(segment)
			writeForm(&out, segment, &traits)
		}
	}
	var names []string
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		if name = strings.ToLower(normalise(name)); name == "" {
			continue
		}
		traits.Endless = true
		_, dated := dateAt(value)
		traits.Dated = traits.Dated || dated || calendars[name]
		traits.Paged = traits.Paged || pagers[name] && isNumber(value)
		names = append(names, name)
	}
	traits.Faceted = len(names) >= facetsMin
	slices.Sort(names)
	names = slices.Compact(names) // one filter set twice is the same program's
	for _, name := range names {
		out.WriteString("\x00" + name)
	}
	traits.Endless = traits.Endless || traits.Dated
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(out.String())) // never fails
	return hash.Sum64(), traits
}

// Family returns a number that is the same for URLs that differ in their parameters alone, whichever these are.
func Family(u fetch.URL) uint64 {
	origin, path, _ := split(u.WithoutFragment())
	hash := fnv.New64a()
	_, _ = hash.Write([]byte("?" + origin + path)) // never fails; no shape begins so
	return hash.Sum64()
}

// Choices returns a number for each parameter of u with its value, which is the same for all URLs of its family.
func Choices(u fetch.URL) []uint64 {
	origin, path, query := split(u.WithoutFragment())
	var choices []uint64
	for parameter := range strings.SplitSeq(query, "&") {
		if parameter == "" {
			continue
		}
		hash := fnv.New64a()
		_, _ = hash.Write([]byte("&" + origin + path + "?" + normalise(parameter))) // never fails; no shape begins so
		choices = append(choices, hash.Sum64())
	}
	return choices
}

// writeForm writes a segment with % for dates, @ for tokens and # for other numbers.
func writeForm(out *strings.Builder, segment string, traits *Traits) {
	if isMadeUp(segment) {
		traits.Endless = true
		out.WriteByte('@')
		return
	}
	for i := 0; i < len(segment); {
		if c := segment[i]; c < '0' || '9' < c {
			out.WriteByte(c)
			i++
			continue
		}
		traits.Endless = true
		if n, ok := dateAt(segment[i:]); ok {
			traits.Dated = true
			out.WriteByte('%')
			i += n
			continue
		}
		for i < len(segment) && '0' <= segment[i] && segment[i] <= '9' {
			i++
		}
		out.WriteByte('#')
	}
}

// isMadeUp reports whether a segment is a UUID or another token in hexadecimal digits.
func isMadeUp(segment string) bool {
	if len(segment) < 16 {
		return false
	}
	digits := 0
	for i := range len(segment) {
		switch c := segment[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c != '-' && unhex(c) < 0:
			return false
		}
	}
	return digits >= 4 && digits < len(segment) // a word of these letters alone is one, and a number is no token
}

// dateAt returns how long the date is that text begins with: 2026-11, 2026-11-22, 20261122, and as such with other signs.
func dateAt(text string) (int, bool) {
	run := 0
	for run < len(text) && run < 9 && '0' <= text[run] && text[run] <= '9' {
		run++
	}
	switch {
	case run == 8 && isYear(text[:4]) && isMonth(text[4:6]) && isDay(text[6:8]):
		return 8, true
	case run != 4 || !isYear(text[:4]) || len(text) < 7 || !strings.ContainsRune("-_.", rune(text[4])) || !isMonth(text[5:7]):
		return 0, false
	case len(text) >= 10 && text[7] == text[4] && isDay(text[8:10]):
		return 10, true
	}
	return 7, true
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func isYear(text string) bool {
	return len(text) == 4 && ("1000" <= text && text <= "2999") && strings.Trim(text, "0123456789") == ""
}

func isMonth(text string) bool {
	return len(text) == 1 && "1" <= text && text <= "9" || len(text) == 2 && "01" <= text && text <= "12" && strings.Trim(text, "0123456789") == ""
}

func isDay(text string) bool {
	return len(text) == 2 && "01" <= text && text <= "31" && strings.Trim(text, "0123456789") == ""
}

const (
	// nearBits is in how many bits the Simhash of pages may differ that are taken for the same.
	nearBits = 3
	// shapePages is after how many pages of a shape it is judged, and shapeFresh which part of them must have been new.
	shapePages = 30
	shapeFresh = 0.2
)

// Near reports whether pages with two Simhashes are nearly the same. 0 is like nothing: it is of pages with too little text.
func Near(a, b uint64) bool {
	return a != 0 && b != 0 && bits.OnesCount64(a^b) <= nearBits
}

// facetBits is in how many bits the Simhash of pages may differ that list the same in another choice and order.
const facetBits = 22

// Reshuffled reports whether a page lists what another does, in another choice and order, by their Simhashes.
func Reshuffled(a, b uint64) bool {
	return a != 0 && b != 0 && bits.OnesCount64(a^b) <= facetBits
}

// State is what the pages of a shape have been like, in one crawl.
type State struct {
	// Seen counts them, Fresh those that were like none before.
	Seen, Fresh int
	// Last is the mark of the last one: its Simhash, or where the shape is serial its form.
	Last uint64
}

// Add counts a page. known is whether what it says was known in the crawl.
func (s *State) Add(mark uint64, known bool) {
	s.Seen++
	if !known && !Near(mark, s.Last) {
		s.Fresh++
	}
	if mark != 0 {
		s.Last = mark
	}
}

// Closed reports whether no more pages of the shape are to be fetched: so few have been new that the rest will be more of
// the same.
func (s *State) Closed() bool {
	return s.Seen >= shapePages && float64(s.Fresh) < shapeFresh*float64(s.Seen)
}
