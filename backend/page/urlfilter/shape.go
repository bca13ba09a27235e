package urlfilter

import (
	"hash/fnv"
	"math/bits"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// Traits are properties of a URL's form.
type Traits struct {
	// Endless reports that the URL contains a number, date, token or parameter, so that its shape may have any number of URLs.
	Endless bool
	// Dated reports that it contains a date, or a parameter typical of calendars.
	Dated bool
	// Paged reports that it contains the page number of a list.
	Paged bool
	// Faceted reports that it has several parameters, which may be combined.
	Faceted bool
}

// Serial reports whether URLs of the shape follow one another by date or page number, so that pages which differ only in
// those bring nothing new.
func (t Traits) Serial() bool { return t.Dated || t.Paged }

// facetsMin is the number of parameters from which they may be combined.
const facetsMin = 2

// pagers are names of parameters, and of segments before a number, that lead from page to page.
var pagers = map[string]bool{
	"page": true, "p": true, "pg": true, "paged": true, "pagenum": true, "page_number": true, "pageno": true, "offset": true, "start": true, "from": true, "skip": true,
}

// calendars are names of parameters that lead from day to day.
var calendars = map[string]bool{
	"year": true, "month": true, "day": true, "week": true, "date": true, "cal": true, "calendar": true, "yr": true, "mo": true,
}

// Shape returns a number that is equal for URLs that differ only in numbers, dates, tokens and parameter values: the same
// program is likely to generate such pages.
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
	names = slices.Compact(names) // a repeated filter does not change the shape
	for _, name := range names {
		out.WriteString("\x00" + name)
	}
	traits.Endless = traits.Endless || traits.Dated
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(out.String())) // never fails
	return hash.Sum64(), traits
}

// Family returns a number that is equal for URLs that differ only in their parameters, including the names.
func Family(u fetch.URL) uint64 {
	origin, path, _ := split(u.WithoutFragment())
	hash := fnv.New64a()
	_, _ = hash.Write([]byte("?" + origin + path)) // never fails; no shape begins with "?"
	return hash.Sum64()
}

// Choices returns a number for each parameter of u with its value. It is equal across all URLs of the family.
func Choices(u fetch.URL) []uint64 {
	origin, path, query := split(u.WithoutFragment())
	var choices []uint64
	for parameter := range strings.SplitSeq(query, "&") {
		if parameter == "" {
			continue
		}
		hash := fnv.New64a()
		_, _ = hash.Write([]byte("&" + origin + path + "?" + normalise(parameter))) // never fails; no shape begins with "&"
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

// isMadeUp reports whether a segment is a UUID or another hexadecimal token.
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
	return digits >= 4 && digits < len(segment) // neither a word of these letters nor a number is a token
}

// dateAt returns the length of the date at the start of text: 2026-11, 2026-11-22, 20261122, or with other separators.
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
	// nearBits is in how many bits the Simhashes of nearly equal pages may differ.
	nearBits = 3
	// A shape is judged after shapePages pages, of which the share shapeFresh must have been new.
	shapePages = 30
	shapeFresh = 0.2
)

// Near reports whether two Simhashes are nearly equal. 0, for pages with too little text, equals nothing.
func Near(a, b uint64) bool {
	return a != 0 && b != 0 && bits.OnesCount64(a^b) <= nearBits
}

// facetBits is in how many bits the Simhashes may differ of pages that list the same items in another selection and order.
const facetBits = 22

// Reshuffled reports, by Simhashes, whether two pages list the same items in another selection and order.
func Reshuffled(a, b uint64) bool {
	return a != 0 && b != 0 && bits.OnesCount64(a^b) <= facetBits
}

// State is statistics about the pages of a shape in one crawl.
type State struct {
	// Seen counts the pages, Fresh those that were like no page before.
	Seen, Fresh int
	// Last is the mark of the last page: its Simhash or, for a serial shape, its form.
	Last uint64
}

// Add counts a page. known is whether its content was already known in the crawl.
func (s *State) Add(mark uint64, known bool) {
	s.Seen++
	if !known && !Near(mark, s.Last) {
		s.Fresh++
	}
	if mark != 0 {
		s.Last = mark
	}
}

// Closed reports whether no more pages of the shape are fetched, because too few of them were new.
func (s *State) Closed() bool {
	return s.Seen >= shapePages && float64(s.Fresh) < shapeFresh*float64(s.Seen)
}
