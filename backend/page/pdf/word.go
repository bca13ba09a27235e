package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/font"
)

const (
	// wordGap is the gap between two characters that makes two words of them, in parts of the size. A space is about
	// 0.25, shrunk by justification to no less than 0.17; kerning seldom exceeds 0.1.
	wordGap = 0.12
	// backGap is how far a word may step back, as accents do.
	backGap = 0.6
)

// word is what stands together on a line. Places are along (u) and across (v, upwards) the direction of the text.
type word struct {
	text      string
	u0, u1, v float64
	size      float64
	font      *font.Font
	// spaced reports whether a space was written before it.
	spaced bool
	link   int32 // of reader.links; -1: none
	mark   int32
	tag    tag
	// pitch is the width of its last character.
	pitch float64
}

// turned are the glyphs of one direction.
type turned struct {
	degrees int
	glyphs  []glyph
}

// directionsMax is how many directions text runs in on a page; those beyond are dropped.
const directionsMax = 12

// byDirection parts glyphs by the direction of their lines, the one with the most glyphs first.
func byDirection(glyphs []glyph) []turned {
	var groups []turned
	last := 0
	for _, g := range glyphs {
		degrees := last
		if g.dx != 0 || g.dy != 0 {
			d := g.direction()
			if right := math.Round(d/90) * 90; math.Abs(d-right) <= 8 {
				d = right
			}
			degrees = (int(math.Round(d/5))*5 + 360) % 360
			last = degrees
		}
		at := 0
		for at < len(groups) && groups[at].degrees != degrees {
			at++
		}
		if at == len(groups) {
			if at == directionsMax {
				continue
			}
			groups = append(groups, turned{degrees: degrees})
		}
		groups[at].glyphs = append(groups[at].glyphs, g)
	}
	for i := 1; i < len(groups); i++ {
		if len(groups[i].glyphs) > len(groups[0].glyphs) {
			groups[0], groups[i] = groups[i], groups[0]
		}
	}
	return groups
}

// wordBuilder makes words of glyphs in the order in which they were drawn.
type wordBuilder struct {
	sin, cos float64
	words    []word
	text     []byte
	open     bool
	current  word
	spaced   bool
	// previous glyph of the word: where it begins, and where it begins in text.
	lastU, lastV, lastWidth float64
	lastAt                  int
	lastText                string
}

func wordsOf(t turned) []word {
	sin, cos := math.Sincos(float64(t.degrees) * math.Pi / 180)
	b := &wordBuilder{sin: sin, cos: cos}
	for i := range t.glyphs {
		b.add(&t.glyphs[i])
	}
	b.end()
	return withoutDoubles(b.words)
}

func (b *wordBuilder) add(g *glyph) {
	u, v := g.x*b.cos+g.y*b.sin, g.y*b.cos-g.x*b.sin
	width := math.Hypot(g.dx, g.dy)
	if strings.TrimLeft(g.text, " ") == "" {
		b.end()
		b.spaced = true
		return
	}
	if b.open && b.joins(g, u, v) {
		if g.text == b.lastText && math.Abs(u-b.lastU) < 0.08*g.size && math.Abs(v-b.lastV) < 0.08*g.size && width > 0.16*g.size {
			return // drawn twice, to look bold
		}
		if !b.compose(g, u) {
			b.lastAt = len(b.text)
			b.text = append(b.text, g.text...)
		}
		if u+width > b.current.u1 {
			b.current.u1 = u + width
		}
		b.current.size = max(b.current.size, g.size)
	} else {
		b.end()
		b.open = true
		b.current = word{u0: u, u1: u + width, v: v, size: g.size, font: g.font, spaced: b.spaced, link: -1, mark: g.mark}
		b.spaced = false
		b.lastAt = 0
		b.text = append(b.text[:0], g.text...)
	}
	b.lastU, b.lastV, b.lastWidth, b.lastText = u, v, width, g.text
	b.current.pitch = width
}

// joins reports whether a glyph goes on with the word.
func (b *wordBuilder) joins(g *glyph, u, v float64) bool {
	size := min(g.size, b.current.size)
	gap := u - b.current.u1
	if math.Abs(v-b.current.v) > 0.25*size || g.size > 1.7*b.current.size || b.current.size > 1.7*g.size {
		return false
	}
	return gap < wordGap*max(g.size, b.current.size) && gap > -backGap*size && u > b.current.u0-backGap*size && len(b.text) < 4096 &&
		b.current.mark == g.mark
}

// combining are the accents that old fonts have as characters of their own, and what they are over a letter.
var combining = map[string]rune{
	"`": 0x300, "´": 0x301, "ˆ": 0x302, "^": 0x302, "˜": 0x303, "~": 0x303, "¯": 0x304, "˘": 0x306, "˙": 0x307, "¨": 0x308, "˚": 0x30a,
	"˝": 0x30b, "ˇ": 0x30c, "¸": 0x327, "˛": 0x328,
}

// compose puts an accent and a letter together that were drawn over each other.
func (b *wordBuilder) compose(g *glyph, u float64) bool {
	if u > b.lastU+0.6*b.lastWidth {
		return false
	}
	accent, letter := b.lastText, g.text
	mark, ok := combining[accent]
	if !ok {
		accent, letter = letter, accent
		if mark, ok = combining[accent]; !ok {
			return false
		}
	}
	r, n := utf8.DecodeRuneInString(letter)
	if !unicode.IsLetter(r) || n != len(letter) {
		return false
	}
	switch r {
	case 'ı':
		r = 'i'
	case 'ȷ':
		r = 'j'
	}
	if b.lastAt == 0 {
		b.current.u0 = min(b.current.u0, u)
	}
	b.text = append(b.text[:b.lastAt], norm.NFC.String(string([]rune{r, mark}))...)
	return true
}

func (b *wordBuilder) end() {
	if !b.open {
		return
	}
	b.open = false
	b.current.text = string(b.text)
	b.words = append(b.words, b.current)
}

// withoutDoubles drops words that were drawn a second time in the same place.
func withoutDoubles(words []word) []word {
	type place struct {
		text string
		u, v int
	}
	seen := make(map[place]bool, len(words))
	out := words[:0]
	for _, w := range words {
		key := place{w.text, int(math.Round(w.u0 / 2)), int(math.Round(w.v / 2))}
		if !seen[key] {
			seen[key] = true
			out = append(out, w)
		}
	}
	return out
}
