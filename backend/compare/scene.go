package compare

import (
	"math"
	"net/url"
	"slices"
	"strings"
)

// scene is what the figures of a page's differences have in common.
type scene struct {
	c     *comparison
	p     *compared
	sides map[*side]*layout
	// weights are those of the words that the query is about: a word weighs less the more blocks have it.
	weights []float32
	// titled are the words among them that the title has.
	titled []bool
	host   string
	// said counts the words that differ.
	said   map[string]int
	shapes map[string]shape
	// groups counts differences by the elements around them.
	groups map[uint64]int
}

// layout is where things are on a side.
type layout struct {
	lower  []string
	words  []int // of the blocks before, in sum
	linked []int // bytes of links in the blocks before, in sum
	bytes  []int
	title  int // the block of the first heading of the first level, or 0
	paths  map[uint64]int
	groups map[int]int
	money  []int // amounts of money in the blocks before
	last   int   // the block after which only the footer comes
	// titled and prosed are how many of the elements around a block are also around the title, and around the longest paragraph.
	titled, prosed []int
}

func (c *comparison) scene(p *compared) *scene {
	s := &scene{c: c, p: p, sides: map[*side]*layout{p.a: layoutOf(p.a), p.b: layoutOf(p.b)}, said: map[string]int{}, shapes: map[string]shape{}, groups: map[uint64]int{}}
	if u, err := url.Parse(p.url); err == nil {
		s.host = strings.TrimPrefix(u.Hostname(), "www.")
	}
	for _, subject := range c.query.subjects {
		count := 0
		for _, text := range s.sides[p.b].lower {
			if hasWord(text, subject) {
				count++
			}
		}
		s.weights = append(s.weights, float32(1/(1+math.Log1p(float64(count)))))
		l := s.sides[p.b]
		s.titled = append(s.titled, len(l.lower) > 0 && (hasWord(l.lower[0], subject) || hasWord(l.lower[l.title], subject)))
	}
	for _, d := range p.found {
		s.said[d.was+"\x00"+d.now]++
		s.groups[d.node().tags]++
	}
	return s
}

// hasWord reports whether a text has a word with a stem.
func hasWord(text, stem string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], stem)
		if i < 0 {
			return false
		}
		if at += i; at == 0 || !isLetterByte(text[at-1]) {
			return true
		}
		at += len(stem)
	}
}

func isLetterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func layoutOf(s *side) *layout {
	l := &layout{paths: map[uint64]int{}, groups: map[int]int{}}
	words, linked, bytes, money, longest := 0, 0, 0, 0, 0
	for i := range s.nodes {
		n := &s.nodes[i]
		l.lower = append(l.lower, strings.ToLower(n.Text))
		words += strings.Count(n.Text, " ") + 1
		linked += n.Linked
		bytes += len(n.Text)
		if len(n.Text) < 60 && hasMoney(n.Text) {
			money++
		}
		l.words, l.linked, l.bytes, l.money = append(l.words, words), append(l.linked, linked), append(l.bytes, bytes), append(l.money, money)
		l.paths[n.tags]++
		l.groups[n.Group]++
		if n.Level == 1 && l.title == 0 {
			l.title = i
		}
		if n.Part != "footer" {
			l.last = i
		}
		if n.Part == "" && n.Linked*2 < len(n.Text) && len(n.Text) > len(s.nodes[longest].Text) {
			longest = i
		}
	}
	l.titled, l.prosed = s.shared(l.title), s.shared(longest)
	return l
}

// shared are how many elements around each block are also around a given one.
func (s *side) shared(at int) []int {
	all := make([]int, len(s.nodes))
	all[at] = s.nodes[at].Depth
	for i, least := at+1, 99; i < len(all); i++ {
		least = min(least, s.nodes[i].Fork)
		all[i] = least
	}
	for i, least := at-1, 99; i >= 0; i-- {
		least = min(least, s.nodes[i+1].Fork)
		all[i] = least
	}
	return all
}

func hasMoney(text string) bool {
	return strings.ContainsAny(text, "$€£¥₹") && strings.ContainsAny(text, "0123456789")
}

// over is the sum over blocks around one.
func over(sums []int, from, to int) float32 {
	from, to = max(0, from), min(len(sums)-1, to)
	if to < from {
		return 0
	}
	if from == 0 {
		return float32(sums[to])
	}
	return float32(sums[to] - sums[from-1])
}

// matched is how much of what the query is about is in texts, and how much of what the title does not name.
func (s *scene) matched(texts ...string) (most, beyond float32) {
	for i, subject := range s.c.query.subjects {
		if most+beyond < 2*s.weights[i] && slices.ContainsFunc(texts, func(text string) bool { return hasWord(text, subject) }) {
			if most = max(most, s.weights[i]); !s.titled[i] {
				beyond = max(beyond, s.weights[i])
			}
		}
	}
	return most, beyond
}

// shapeOf is the shape of a text, which is found once.
func (s *scene) shapeOf(text string) shape {
	found, ok := s.shapes[text]
	if !ok {
		found = shapeOf(text)
		s.shapes[text] = found
	}
	return found
}
