package pdf

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// composer makes blocks of the text of all pages.
type composer struct {
	doc     *Document
	links   []Link
	words   map[string]bool // that stand within lines, to tell how a hyphenated one is written
	outline map[string]int
	body    float64 // the size of most text
	pieces  []piece
	// tagged files say which pieces are headings; items are the list items that were met.
	tagged bool
	items  map[int32]bool
}

// wordsMax is how many different words are remembered.
const wordsMax = 200_000

// compose puts the document together.
func (r *reader) compose(ctx context.Context, doc *Document, pages []pageText) {
	quality := qualityOf(r, pages)
	if len(pages) >= repeatsMin {
		dropRunning(pages)
	}
	c := &composer{doc: doc, links: r.links, words: map[string]bool{}, items: map[int32]bool{}}
	c.outline = r.outline()
	for _, t := range r.tags {
		c.tagged = c.tagged || t.level > 0
	}
	c.survey(pages)
	regionNumber := 0
	for i := range pages {
		for j := range pages[i].regions {
			regionNumber++
			region := &pages[i].regions[j]
			for _, p := range piecesOf(region.lines) {
				p.page, p.region, p.apart = pages[i].number, regionNumber, region.apart
				c.pieces = append(c.pieces, p)
			}
			if !r.budget.Alive() && ctx.Err() != nil {
				return
			}
		}
		pages[i].regions = nil
	}
	c.headings()
	c.lists()
	c.blocks()
	c.listLinks()
	doc.Quality = quality * plausible(doc)
}

// survey finds the size of most text, and collects the words.
func (c *composer) survey(pages []pageText) {
	weights := map[float64]int{}
	for i := range pages {
		for _, region := range pages[i].regions {
			for k := range region.lines {
				ln := &region.lines[k]
				size := float64(int(ln.size*2+0.5)) / 2
				if !ln.mono {
					weights[size] += len(ln.text)
				}
				fields := strings.Fields(ln.text)
				for w, field := range fields {
					if w+1 < len(fields) && len(c.words) < wordsMax && len(field) < 64 {
						if key := bare(field); len(key) > 3 {
							c.words[key] = true
						}
					}
				}
			}
		}
	}
	most := -1
	for size, n := range weights {
		if n > most || n == most && size < c.body {
			c.body, most = size, n
		}
	}
}

// bare is a word in small letters without what stands around it.
func bare(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }))
}

// letters are the letters and digits of a text, in small letters, by which titles are compared.
func letters(t string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, t)
}

// flow is the text of lines that are read as one, with the links in it. Hyphens at the ends of lines are dropped where
// the word is known without, or not known with.
func (c *composer) flow(lines []line) (string, []Span) {
	var out strings.Builder
	var spans []Span
	for i := range lines {
		ln := &lines[i]
		t := ln.text
		offset := 0
		if i == 0 {
			trimmed := strings.TrimLeft(t, " ")
			offset = len(t) - len(trimmed)
			t = trimmed
		}
		start := out.Len()
		if i > 0 && start > 0 {
			so := out.String()
			if cut, ok := c.hyphen(so, t); ok {
				out.Reset()
				out.WriteString(so[:len(so)-cut])
				if n := len(spans); n > 0 && spans[n-1].End > out.Len() {
					spans[n-1].End = out.Len()
				}
			} else if !wide(so, t) {
				out.WriteByte(' ')
			}
			start = out.Len()
		}
		out.WriteString(t)
		for _, s := range ln.spans {
			c.span(&spans, start, s, offset, t)
		}
	}
	return out.String(), spans
}

// span adds a link of a line to those of a block, and goes on with the one before where it is the same.
func (c *composer) span(spans *[]Span, start int, s span, offset int, t string) {
	from, to := s.start-offset, s.end-offset
	if from < 0 || to > len(t) || from >= to || int(s.link) >= len(c.links) {
		return
	}
	uri := c.links[s.link].URI
	if n := len(*spans); n > 0 && (*spans)[n-1].URI == uri && start+from-(*spans)[n-1].End <= 1 {
		(*spans)[n-1].End = start + to
		return
	}
	*spans = append(*spans, Span{start + from, start + to, uri})
}

// hyphen tells whether before ends with a hyphen that the line's end brought about, and how many bytes it takes.
func (c *composer) hyphen(before, after string) (cut int, ok bool) {
	r, n := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	if r == '\u00ad' {
		return n, unicode.IsLetter(next)
	}
	if r != '-' && r != '‐' || !unicode.IsLower(next) {
		return 0, false
	}
	head := before[:len(before)-n]
	head = head[strings.LastIndexByte(head, ' ')+1:]
	tail, _, _ := strings.Cut(after, " ")
	last, _ := utf8.DecodeLastRuneInString(head)
	if !unicode.IsLetter(last) {
		return 0, false
	}
	if c.words[bare(head+"-"+tail)] && !c.words[bare(head+tail)] {
		return 0, true // a compound: the hyphen stays, and no space follows it
	}
	if strings.ContainsAny(head, "-/@") {
		return 0, true
	}
	return n, true
}

// wide reports whether two lines join without a space, as those of Chinese and Japanese do.
func wide(before, after string) bool {
	a, _ := utf8.DecodeLastRuneInString(before)
	b, _ := utf8.DecodeRuneInString(after)
	return ideographic(a) && ideographic(b)
}

func ideographic(r rune) bool {
	return r >= 0x2e80 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0xff00 && r <= 0xffef || r >= 0x20000 && r <= 0x3ffff
}

// listLinks lists each URI once, with what the text shows of it first.
func (c *composer) listLinks() {
	shown := map[string]string{}
	for i := range c.doc.Blocks {
		b := &c.doc.Blocks[i]
		for _, s := range b.Spans {
			if shown[s.URI] == "" {
				shown[s.URI] = b.Text[s.Start:s.End]
			}
		}
	}
	seen := map[string]bool{}
	for _, l := range c.links {
		if !seen[l.URI] {
			seen[l.URI] = true
			l.Text = shown[l.URI]
			c.doc.Links = append(c.doc.Links, l)
		}
	}
}
