package reader

import (
	"cmp"
	"encoding/json"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// view is a page as a field sees it: which of the field's words are where.
type view struct {
	*want

	page   *page
	text   []uint64 // of each block
	label  []uint64
	class  []uint64
	heads  []uint64 // of the headings above
	back   []uint64 // of the last few blocks, before this one
	far    []uint64
	title  uint64
	anchor []float32      // how much of the field's own words each block has
	best   int            // the block that has most of them
	uses   map[string]int // how many candidates have a value
	found  int
}

const backBlocks, farBlocks = 3, 10

func newView(w *want, p *page) *view {
	n := len(p.blocks)
	v := &view{
		want: w, page: p, text: make([]uint64, n), label: make([]uint64, n), class: make([]uint64, n), heads: make([]uint64, n), back: make([]uint64, n),
		far: make([]uint64, n),
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		v.text[i], v.label[i], v.class[i] = w.maskOf(b.tokens), w.mask(b.label), w.mask(b.class)
		if b.above >= 0 {
			v.heads[i] = v.text[b.above] | v.heads[b.above]
		}
		if i >= p.shown {
			continue
		}
		for k := max(0, i-farBlocks); k < i; k++ {
			v.far[i] |= v.text[k]
			if i-k <= backBlocks {
				v.back[i] |= v.text[k]
			}
		}
	}
	v.title = w.mask(p.title)
	v.anchor = make([]float32, n)
	for i := range v.anchor[:p.shown] {
		if v.anchor[i] = w.cover(v.text[i])[1]; v.anchor[i] > v.anchor[v.best] {
			v.best = i
		}
	}
	return v
}

// near are the words of a block beside a span: its label before a colon, some to the left, and some to the right.
func (v *view) near(c *Candidate) (colon, left, right, behind []token) {
	b := &v.page.blocks[c.block]
	first, _ := slices.BinarySearchFunc(b.tokens, c.span.start, func(t token, at int) int { return int(t.start) - at })
	last, _ := slices.BinarySearchFunc(b.tokens, c.span.end, func(t token, at int) int { return int(t.start) - at })
	last = max(first, last)
	const wide = 7
	left, right = b.tokens[max(0, first-wide):first], b.tokens[last:min(len(b.tokens), last+wide)]
	behind = b.tokens[max(0, first-3*wide):first]
	before := strings.TrimRight(b.text[:min(c.span.start, len(b.text))], " ")
	if at := strings.LastIndexByte(before, ':'); at >= 0 && len(before)-at < 30 {
		end, _ := slices.BinarySearchFunc(b.tokens, at, func(t token, at int) int { return int(t.start) - at })
		colon = b.tokens[max(0, end-5):min(end, len(b.tokens))]
	}
	return colon, left, right, behind
}

// cheap is how well the words around a candidate fit, for choosing those that are looked at.
func (v *view) cheap(c *Candidate) float32 {
	i := c.block
	colon, left, right, _ := v.near(c)
	beside := v.label[i] | v.maskOf(colon) | v.maskOf(left) | v.maskOf(right)
	if i > 0 && i < v.page.shown {
		beside |= v.text[i-1]
	}
	near := v.cover(beside)
	block := v.cover(v.text[i] | v.class[i] | beside)
	wide := v.cover(v.text[i] | v.heads[i] | v.back[i] | v.class[i] | beside)
	far := v.cover(v.far[i])
	score := 2*near[0] + 2*near[1] + block[0] + 2*block[1] + wide[0] + wide[1] + far[1]/2 + wide[2]/2
	score += v.fit(c)
	if c.page.blocks[i].hidden {
		score -= 0.3
	}
	return score
}

// kindOf are the kinds that a shape is of, the likeliest of which counts.
func (v *view) fit(c *Candidate) float32 {
	most := func(all ...Kind) float32 {
		best := float32(0)
		for _, k := range all {
			best = max(best, v.kinds[k])
		}
		return best
	}
	switch c.span.shape { //nolint:exhaustive // those of the others have no rivals
	case money:
		return most(Price)
	case date:
		return most(Date)
	case phone:
		return most(Phone)
	case email:
		return most(Email)
	case link:
		return most(URL)
	case number:
		return most(Number, Duration)
	case measure:
		return most(Number, Duration)
	case code:
		return most(ID)
	case times:
		return most(Hours)
	case run:
		return most(Address, Hours)
	case proper:
		return most(Person, Name, Address, ID)
	case whole, after, inside, part:
		return most(Person, Name, Text, Address, ID, Hours, Duration)
	}
	return 1
}

// LinkBits is the number of bits of the hashes in Model.Links.
const LinkBits = 18

// role is where a word stands beside a candidate.
type role uint32

// Links are the hashes of the pairs of a word of the field, or its kind, and a word beside the candidate with its role.
func (v *view) links(c *Candidate, out []uint32) []uint32 {
	b := &v.page.blocks[c.block]
	colon, left, right, _ := v.near(c)
	var own []uint32
	own = append(own, uint32(v.kind)*0x9e3779b1+1)
	for _, s := range v.own[:min(len(v.own), 6)] {
		own = append(own, uint32(s))
	}
	add := func(r role, s stem) {
		for _, f := range own {
			h := f*0x85ebca6b ^ (uint32(s)+uint32(r)*0xc2b2ae35)*0x27d4eb2f
			h ^= h >> 15
			h *= 0x2c1b3c6d
			h ^= h >> 13
			out = append(out, h>>(32-LinkBits))
		}
	}
	tokens := func(r role, all []token, most int) {
		for _, t := range all[:min(len(all), most)] {
			add(r, t.stem)
		}
	}
	stems := func(r role, all []stem, most int) {
		for _, s := range all[:min(len(all), most)] {
			add(r, s)
		}
	}
	add(1, stem(b.origin)*64+stem(c.span.shape))
	stems(2, b.label, 4)
	tokens(3, colon, 4)
	if n := len(left); n > 0 {
		add(4, left[n-1].stem)
		tokens(5, left[max(0, n-4):], 4)
	}
	if len(right) > 0 {
		add(6, right[0].stem)
		tokens(7, right, 3)
	}
	stems(8, b.class, 5)
	if c.block > 0 && c.block < v.page.shown {
		tokens(9, v.page.blocks[c.block-1].tokens, 4)
	}
	if b.above >= 0 {
		tokens(10, v.page.blocks[b.above].tokens, 5)
	}
	add(11, stem(b.region)*8+stem(b.level)) //nolint:gosec // a level is at most 6
	if c.span.shape == measure || c.span.shape == number {
		add(12, stemOf(c.span.unit))
	}
	add(13, stemOf(patternOf(b, &c.span)))
	if n := len(left); n > 1 {
		add(14, left[n-1].stem*31+left[n-2].stem)
	}
	if c.span.shape > measure {
		for _, t := range tokensOf(b.text[c.span.start:c.span.end]) {
			add(15, t.stem)
		}
	}
	return out
}

// patternOf is the form of a span's first words and the marks beside it.
func patternOf(b *block, s *span) string {
	var out []byte
	if s.start > 0 {
		out = append(out, b.text[s.start-1])
		if s.start > 1 && b.text[s.start-1] == ' ' {
			if r := b.text[s.start-2]; r < 'A' || r > 'z' {
				out = append(out, r)
			}
		}
	}
	out = append(out, '[')
	const most = 4
	for i, word := range strings.Fields(b.text[s.start:s.end]) {
		if i >= most {
			break
		}
		first, _ := utf8.DecodeRuneInString(word)
		switch {
		case unicode.IsDigit(first):
			out = append(out, '0')
		case unicode.IsUpper(first) && strings.ToUpper(word) == word && len(word) > 1:
			out = append(out, 'U')
		case unicode.IsUpper(first):
			out = append(out, 'A')
		case unicode.IsLetter(first):
			out = append(out, 'a')
		default:
			out = append(out, '.')
		}
	}
	out = append(out, ']')
	if s.end < len(b.text) {
		out = append(out, b.text[s.end])
	}
	return string(out)
}

// linked is what the links of a candidate say together.
func (m *Model) linked(hashes []uint32) float32 {
	if len(m.Links) == 0 {
		return 0
	}
	sum := float32(0)
	for _, h := range hashes {
		sum += float32(m.Links[h])
	}
	return sum / LinkScale
}

// LinkScale is how much of Model.Links is one.
const LinkScale = 64

// Finish leaves the likeliest of the candidates of one field by what the model has learned of words, and computes their rows.
func (m *Model) Finish(all []*Candidate) []*Candidate {
	for _, c := range all {
		c.linked = m.linked(c.hashes)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *Candidate) int { return cmp.Compare(b.linked+b.cheap/2, a.linked+a.cheap/2) })
	all = all[:min(len(all), candidatesMax)]
	for rank, c := range all {
		c.base = c.view.row(c, rank, c.view.found, m)
	}
	rivals(all)
	return all
}

// Hashes are those of Model.Links that concern a candidate.
func (c *Candidate) Hashes() []uint32 { return c.hashes }

func log1(n int) float32 { return float32(math.Log1p(float64(n))) }

func flag(is bool) float32 {
	if is {
		return 1
	}
	return 0
}

func (v *view) row(c *Candidate, rank, total int, m *Model) []float32 {
	p := v.page
	i := c.block
	b := &p.blocks[i]
	row := make([]float32, 0, 120)
	put := func(all ...float32) { row = append(row, all...) }
	covers := func(mask uint64) { a := v.cover(mask); row = append(row, a[:]...) }
	put(v.kinds[:]...)
	put(float32(v.kind), float32(c.span.shape), float32(b.origin), float32(b.region), float32(b.level), flag(b.hidden), v.fit(c))
	colon, left, right, behind := v.near(c)
	colonMask, leftMask, rightMask := v.maskOf(colon), v.maskOf(left), v.maskOf(right)
	prev, next := uint64(0), uint64(0)
	prevWords, nextWords := 0, 0
	if i > 0 && i < p.shown {
		prev, prevWords = v.text[i-1], len(p.blocks[i-1].tokens)
	}
	if i+1 < p.shown {
		next, nextWords = v.text[i+1], len(p.blocks[i+1].tokens)
	}
	label := v.label[i] | colonMask
	covers(label)
	covers(leftMask)
	covers(v.maskOf(behind))
	covers(rightMask)
	covers(v.text[i])
	covers(prev)
	covers(next)
	covers(v.class[i])
	covers(v.heads[i])
	covers(v.back[i])
	covers(v.far[i])
	near := label | leftMask | rightMask | prev
	covers(near | v.class[i])
	covers(near | v.text[i] | v.heads[i] | v.class[i])
	covers(near | v.text[i] | v.heads[i] | v.back[i] | v.far[i] | v.class[i] | v.title)
	// How much of a label the field's words are, the other way round.
	labels := len(b.label) + len(colon)
	put(float32(labels), share(bits.OnesCount64(label&(v.name|v.said)), labels))
	put(share(bits.OnesCount64(prev&(v.name|v.said)), prevWords), float32(min(prevWords, 50)), float32(min(nextWords, 50)))
	put(share(bits.OnesCount64(leftMask&(v.name|v.said)), len(left)), float32(len(left)), float32(len(right)))
	put(v.distance(behind), float32(rank), log1(total), c.cheap)
	at, most := v.anchorOf(i)
	put(float32(i-at), most, v.cover(v.text[at] | v.heads[i])[2], float32(max(-50, min(i-v.best, 50))), v.anchor[min(v.best, len(v.anchor)-1)])
	put(log1(i), share(min(i, p.shown), p.shown), flag(i >= p.shown), log1(p.shown))
	put(v.value(c, m)...)
	return row
}

// anchorReach is how many blocks before a candidate are looked at for what it is said of.
const anchorReach = 30

// anchorOf is the nearest block up to one that has the most of the field's own words, and how much it has.
func (v *view) anchorOf(i int) (at int, most float32) {
	at = i
	if i >= v.page.shown {
		return i, 0
	}
	most = v.anchor[i]
	for k := i - 1; k >= max(0, i-anchorReach); k-- {
		if v.anchor[k] > most {
			at, most = k, v.anchor[k]
		}
	}
	return at, most
}

// distance is how many words lie between a span and the nearest word of the field's name before it.
func (v *view) distance(behind []token) float32 {
	for n := range behind {
		if at, ok := v.bit[behind[len(behind)-1-n].stem]; ok && 1<<at&v.name != 0 {
			return float32(n)
		}
	}
	return 40
}

// value are figures of the value itself.
func (v *view) value(c *Candidate, m *Model) []float32 {
	b := &v.page.blocks[c.block]
	text := ""
	magnitude, decimals, isYear := float32(0), float32(0), float32(0)
	entries := 0
	switch value := c.Value.(type) {
	case string:
		text = value
	case json.Number:
		text = value.String()
		f, err := value.Float64()
		if err == nil {
			magnitude = float32(math.Log1p(math.Abs(f)))
			isYear = flag(f >= 1900 && f <= 2100 && f == math.Trunc(f))
		}
		if at := strings.IndexByte(text, '.'); at >= 0 {
			decimals = float32(len(text) - at)
		}
	case bool:
		magnitude = flag(value)
	case []string:
		entries = len(value)
		text = strings.Join(value, " ")
	}
	tokens := tokensOf(text)
	rare, in, capitals := float32(0), 0, 0
	title := 0
	for _, t := range tokens {
		rare += m.rarity(t.stem)
		if _, ok := v.bit[t.stem]; ok {
			in++
		}
		if slices.Contains(v.page.title, t.stem) {
			title++
		}
		if r, _ := utf8.DecodeRuneInString(text[t.start:t.end]); unicode.IsUpper(r) {
			capitals++
		}
	}
	if len(tokens) > 0 {
		rare /= float32(len(tokens))
	}
	unit := float32(0)
	if v.unit != "" {
		unit = 1
		if known, ok := ask.UnitNames()[c.span.unit]; ok && known[1] == v.unit {
			unit = 2
		}
	}
	currency := float32(0)
	if v.currency != "" && c.span.shape == money {
		currency = 1 + flag(codeOf(c.span.unit) == v.currency)
	}
	return []float32{
		float32(len(tokens)), float32(min(len(text), 300)), share(countDigits(text), len(text)), share(capitals, len(tokens)),
		rare, share(in, len(tokens)), share(title, len(tokens)),
		magnitude, decimals, isYear, unit, currency, float32(entries), log1(v.uses[c.Key]),
		float32(min(len(b.tokens), 100)), share(c.span.end-c.span.start, len(b.text)), share(c.span.start, len(b.text)),
		float32(len(v.own)), v.total[0], v.total[1], flag(v.unit != ""),
		flag(strings.HasPrefix(b.href, "mailto:") || strings.HasPrefix(b.href, "tel:") || b.origin == inLink), flag(b.href != ""), flag(b.about == ofSubject),
	}
}

func share(part, all int) float32 {
	if all == 0 {
		return 0
	}
	return float32(part) / float32(all)
}

// rivals adds for each candidate how it stands among the others.
func rivals(all []*Candidate) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		a, b := all[i], all[k]
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.span.start, b.span.start))
	})
	place := make([]int, len(all))
	var counts [shapes]int
	for _, i := range order {
		place[i] = counts[all[i].span.shape]
		counts[all[i].span.shape]++
	}
	for i, c := range all {
		better, betterLinks, bestLinks, best := 0, 0, float32(-50), float32(-10)
		from, _ := c.view.anchorOf(c.block)
		between := 0
		for _, o := range all {
			if o.Key == c.Key {
				continue
			}
			if o.span.shape == c.span.shape && o.block >= from && (o.block < c.block || o.block == c.block && o.span.start < c.span.start) {
				between++
			}
			best, bestLinks = max(best, o.cheap), max(bestLinks, o.linked)
			if o.cheap >= c.cheap {
				better++
			}
			if o.linked >= c.linked {
				betterLinks++
			}
		}
		c.Row = append(slices.Clone(c.base), c.linked, float32(better), float32(betterLinks), c.cheap-best, c.linked-bestLinks, float32(place[i]),
			float32(counts[c.span.shape]), float32(between))
	}
}
