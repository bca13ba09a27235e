package reader

import (
	"regexp"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

const (
	entriesMax = 40
	entryBytes = 120
)

// separators are the marks between entries of a list in a text.
var separators = regexp.MustCompile(`\s*(?:, and |, | and | & |;|\||•|·|/ )\s*`)

// lists are the lists of a page: the blocks of one group, the headings of one level, entries between commas, and properties of several values.
func lists(p *page) []*Candidate {
	var out []*Candidate
	add := func(at int, values []string, quote string, s span) {
		var kept []string
		for _, v := range values {
			if v = strings.Trim(v, " ,.;:|"); v != "" && len(v) <= entryBytes {
				kept = append(kept, v)
			} else if v != "" {
				return
			}
		}
		if len(kept) < 1 || len(kept) > entriesMax {
			return
		}
		s.shape = several
		out = append(out, &Candidate{page: p, block: at, span: s, Value: kept, Quote: quote})
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		// What stands between commas: in all of a block, behind a colon, and in its meta data.
		for from := 0; ; {
			text := b.text[from:]
			if len(text) <= 600 {
				if entries := separators.Split(strings.TrimRight(text, ". "), entriesMax+1); len(entries) > 1 || b.origin >= inMeta || len(b.label) > 0 {
					quote := b.quote
					if quote == "" {
						quote = text
					}
					add(i, entries, quote, span{start: from, end: len(b.text)})
				}
			}
			at := strings.Index(text, ": ")
			if at < 0 {
				break
			}
			from += at + 2
		}
		// Neighbours of one make.
		k := i
		for k+1 < len(p.blocks) && p.blocks[k+1].group == b.group && sameMake(b, &p.blocks[k+1]) && k-i < entriesMax {
			k++
		}
		if starts := i == 0 || !sameMake(b, &p.blocks[i-1]) || p.blocks[i-1].group != b.group; starts && k > i {
			var values, quotes []string
			for j := i; j <= k; j++ {
				values = append(values, p.blocks[j].text)
				if q := p.blocks[j].quote; q != "" {
					quotes = append(quotes, q)
				} else {
					quotes = append(quotes, p.blocks[j].text)
				}
			}
			add(i, values, strings.Join(quotes, "\n"), span{end: len(b.text)})
		}
		if b.level > 0 {
			var values, quotes []string
			for j := i; j < len(p.blocks) && len(values) <= entriesMax; j++ {
				if o := &p.blocks[j]; o.level > 0 && o.level < b.level {
					break
				} else if o.level == b.level && o.above == b.above {
					values, quotes = append(values, o.text), append(quotes, o.text)
				}
			}
			if len(values) > 1 && !(i > 0 && olderSibling(p, i)) {
				add(i, values, strings.Join(quotes, "\n"), span{end: len(b.text)})
			}
		}
	}
	return out
}

func sameMake(a, b *block) bool {
	if a.origin >= inMeta {
		if len(a.label) != len(b.label) || a.origin != b.origin {
			return false
		}
		for i := range a.label {
			if a.label[i] != b.label[i] {
				return false
			}
		}
		return true
	}
	return a.tag == b.tag && a.level == b.level && a.origin == b.origin
}

func olderSibling(p *page, at int) bool {
	b := &p.blocks[at]
	for j := at - 1; j >= 0 && int32(j) > b.above; j-- { //nolint:gosec // bounded
		if p.blocks[j].level == b.level && p.blocks[j].above == b.above {
			return true
		}
	}
	return false
}

// choices are the values of an enum that blocks say.
func choices(w *want, p *page) []*Candidate {
	var out []*Candidate
	for i := range p.blocks {
		b := &p.blocks[i]
		lower := " " + strings.ToLower(strings.Join(strings.Fields(b.text), " ")) + " "
		for _, value := range w.field.Enum {
			words := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(value))
			if at := strings.Index(lower, words); at > 0 && len(b.tokens) < 60 {
				s := span{shape: whole, end: len(b.text)}
				out = append(out, &Candidate{page: p, block: i, span: s, Value: value, Quote: quoteOf(b, &s)})
			}
		}
	}
	return out
}

// truths are the sentences that say whether something is so, with what they say.
func truths(w *want, p *page, v *view) []*Candidate {
	format := &ask.Format{Fields: []ask.Field{w.field}}
	var out []*Candidate
	for i := range p.blocks {
		b := &p.blocks[i]
		if v.text[i]|v.label[i] == 0 || v.cover(v.text[i] | v.label[i] | v.class[i])[1] < 0.15 {
			continue
		}
		begin := 0
		for begin < len(b.text) && len(out) < 200 {
			end := len(b.text)
			if at := strings.Index(b.text[begin:], ". "); at >= 0 {
				end = begin + at + 1
			}
			quote := b.text[begin:end]
			if b.quote != "" {
				quote = b.quote
			}
			for _, value := range []bool{true, false} {
				if len(quote) <= quoteBytes && ask.Says(format.Fields[0], quote, value, p.language) {
					out = append(out, &Candidate{page: p, block: i, span: span{shape: truth, start: begin, end: end}, Value: value, Quote: quote})
				}
			}
			begin = end
			for begin < len(b.text) && b.text[begin] == ' ' {
				begin++
			}
		}
	}
	return out
}
