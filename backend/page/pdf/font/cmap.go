package font

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

const (
	// cmapRangesMax is how many ranges a CMap has at most.
	cmapRangesMax = 100_000
	// cmapTextMax is how many bytes of text one code stands for at most.
	cmapTextMax = 256
)

// cmapRange maps the codes of one length from low to high: to text, or to character ids.
type cmapRange struct {
	low, high uint32
	bytes     int
	text      string   // of low; its last character counts up
	list      []string // of each code, instead
	cid       int      // of low
}

// cmap maps the codes of a font to text (a ToUnicode CMap; ISO 32000-1, 9.10.3) or to character ids (9.7.5).
type cmap struct {
	// spaces are the ranges of codes by length, which say how many bytes a code has.
	spaces []cmapRange
	texts  []cmapRange
	cids   []cmapRange
	base   object.Name // the CMap that this one adds to
	// vertical is the writing mode.
	vertical bool
	full     bool
}

// parseCMap reads a CMap file. It takes any bytes; what it does not understand it passes over.
func parseCMap(data []byte, b *object.Budget) *cmap {
	c := &cmap{}
	p := object.NewParser(data, b)
	var last, before any
	for !c.full {
		v := p.Value()
		word, isWord := v.(object.Keyword)
		if !isWord {
			before, last = last, v
			continue
		}
		switch word {
		case "":
			c.finish()
			return c
		case "usecmap":
			c.base, _ = last.(object.Name)
		case "def":
			if before == object.Name("WMode") {
				c.vertical = last == 1
			}
		case "begincodespacerange":
			c.ranges(p, &c.spaces, false)
		case "beginbfchar":
			c.chars(p, &c.texts)
		case "beginbfrange":
			c.ranges(p, &c.texts, true)
		case "begincidchar":
			c.chars(p, &c.cids)
		case "begincidrange":
			c.ranges(p, &c.cids, true)
		}
	}
	c.finish()
	return c
}

// finish sorts the ranges; of those that begin at the same code the last counts.
func (c *cmap) finish() {
	for _, ranges := range []*[]cmapRange{&c.texts, &c.cids} {
		slices.SortStableFunc(*ranges, func(a, b cmapRange) int { return cmp.Compare(a.low, b.low) })
	}
}

func (c *cmap) add(to *[]cmapRange, r cmapRange) {
	if len(*to) >= cmapRangesMax {
		c.full = true
		return
	}
	*to = append(*to, r)
}

// chars reads pairs of a code and what it stands for.
func (c *cmap) chars(p *object.Parser, to *[]cmapRange) {
	for !c.full {
		code, ok := p.Value().(object.String)
		if !ok {
			return
		}
		r := cmapRange{low: codeOf(code), high: codeOf(code), bytes: len(code)}
		switch v := p.Value().(type) {
		case object.String:
			r.text = targetText(v)
		case object.Name:
			r.text = glyphText(string(v))
		case int:
			r.cid = v
		case object.Keyword:
			return
		}
		c.add(to, r)
	}
}

// ranges reads two codes, and with a target what the first of them stands for.
func (c *cmap) ranges(p *object.Parser, to *[]cmapRange, target bool) {
	for !c.full {
		low, ok1 := p.Value().(object.String)
		if !ok1 {
			return
		}
		high, ok2 := p.Value().(object.String)
		if !ok2 {
			return
		}
		r := cmapRange{low: codeOf(low), high: codeOf(high), bytes: len(low)}
		if target {
			switch v := p.Value().(type) {
			case object.String:
				r.text = targetText(v)
			case object.Array:
				for _, item := range v {
					s, _ := item.(object.String)
					r.list = append(r.list, targetText(s))
				}
			case int:
				r.cid = v
			case object.Keyword:
				return
			}
		}
		if r.high < r.low || len(low) == 0 || len(low) > 4 {
			continue
		}
		c.add(to, r)
	}
}

func codeOf(s object.String) uint32 {
	code := uint32(0)
	for _, b := range s[:min(len(s), 4)] {
		code = code<<8 | uint32(b)
	}
	return code
}

// targetText is UTF-16, big-endian; a single byte stands for itself.
func targetText(s object.String) string {
	if len(s) == 1 {
		if s[0] == 0 {
			return ""
		}
		return string(rune(s[0]))
	}
	return object.String(bytes.TrimPrefix(s[:min(len(s), cmapTextMax)], []byte{0xfe, 0xff})).UTF16()
}

// find is the range that holds a code. Ranges may overlap; the one that begins last is looked at first.
func find(ranges []cmapRange, code uint32) *cmapRange {
	at := sort.Search(len(ranges), func(i int) bool { return ranges[i].low > code })
	for i := at - 1; i >= max(at-8, 0); i-- {
		if code <= ranges[i].high {
			return &ranges[i]
		}
	}
	return nil
}

// textOf is the text of a code.
func (c *cmap) textOf(code uint32) (string, bool) {
	r := find(c.texts, code)
	if r == nil {
		return "", false
	}
	n := code - r.low
	if r.list != nil {
		if int(n) < len(r.list) {
			return r.list[n], true
		}
		return "", false
	}
	if n == 0 || r.text == "" {
		return r.text, true
	}
	runes := []rune(r.text)
	runes[len(runes)-1] += rune(n & 0xffff)
	return string(runes), true
}

// cidOf is the character id of a code.
func (c *cmap) cidOf(code uint32) (int, bool) {
	r := find(c.cids, code)
	if r == nil {
		return 0, false
	}
	return r.cid + int(code-r.low), true
}

// next takes the first code of s, by the ranges of codes. Where none fits, it has the length of the shortest range.
func (c *cmap) next(s []byte) (code uint32, n int) {
	shortest := 4
	for n = 1; n <= min(4, len(s)); n++ {
		code = code<<8 | uint32(s[n-1])
		for i := range c.spaces[:min(len(c.spaces), 64)] {
			r := &c.spaces[i]
			shortest = min(shortest, r.bytes)
			if r.bytes == n && within(code, r.low, r.high, n) {
				return code, n
			}
		}
	}
	if len(c.spaces) == 0 {
		shortest = 2
	}
	n = min(shortest, len(s))
	return codeOf(s[:n]), n
}

// within compares code byte by byte, as ranges of codes are meant (Adobe Technical Note 5014).
func within(code, low, high uint32, n int) bool {
	for shift := 0; shift < 8*n; shift += 8 {
		b, l, h := code>>shift&0xff, low>>shift&0xff, high>>shift&0xff
		if b < l || b > h {
			return false
		}
	}
	return true
}
