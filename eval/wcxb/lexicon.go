package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

const (
	// lexiconDomainsMin is on how many sites a word must occur, so that the lexicon learns the web and not a site.
	lexiconDomainsMin = 8
	lexiconWordsMax   = 4000
	lexiconOddsMin    = 0.2
	lexiconBytesMax   = 40
	// lexiconPrior is how many average pages each word is assumed to have been seen on before.
	lexiconPrior = 3
	// labelWords is the longest block whose words count: longer ones contain words of every kind.
	labelWords = 20
)

// sighting counts a word's occurrences on pages: rate is the sum, over pages, of the share of content in what the word
// marks; expected is the sum of the share of content on the same pages; pages is their number.
type sighting struct{ rate, expected, pages float64 }

func (s *sighting) add(o sighting) {
	s.rate += o.rate
	s.expected += o.expected
	s.pages += o.pages
}

func (s sighting) less(o sighting) sighting {
	return sighting{s.rate - o.rate, s.expected - o.expected, s.pages - o.pages}
}

// odds are how much likelier content is at the word than elsewhere on the same pages.
func (s sighting) odds() float32 {
	p := (s.expected + lexiconPrior*0.3) / (s.pages + lexiconPrior)
	r := (s.rate + lexiconPrior*p) / (s.pages + lexiconPrior)
	r, p = min(max(r, 0.001), 0.999), min(max(p, 0.001), 0.999)
	return maincontent.RoundOdds(math.Log(r/(1-r)) - math.Log(p/(1-p)))
}

// sightings are those of one kind of word.
type sightings map[string]sighting

// sightClasses counts the class words of a page against its labels.
func sightClasses(p *maincontent.Page, labels []float32) sightings {
	type sum struct{ content, words float64 }
	// With prefix sums, the sum of a run of blocks is a difference.
	until := make([]sum, len(p.Blocks)+1)
	for i := range p.Blocks {
		n := float64(p.Blocks[i].Words)
		until[i+1] = sum{until[i].content + n*float64(labels[i]), until[i].words + n}
	}
	all := until[len(p.Blocks)]
	found := map[string]sum{}
	p.ClassWords(func(tokens []string, first, last int) {
		for _, token := range tokens {
			s := found[token]
			s.content += until[last+1].content - until[first].content
			s.words += until[last+1].words - until[first].words
			found[token] = s
		}
	})
	out := sightings{}
	for token, s := range found {
		out[token] = sighting{s.content / s.words, all.content / all.words, 1}
	}
	return out
}

// sightWords does the same for the words of short blocks.
func sightWords(p *maincontent.Page, labels []float32) sightings {
	type sum struct{ content, blocks float64 }
	found := map[string]sum{}
	var all sum
	for i := range p.Blocks {
		if p.Blocks[i].Words > labelWords {
			continue
		}
		all.content += float64(labels[i])
		all.blocks++
		p.Blocks[i].EachWord(func(word string) {
			s := found[word]
			s.content += float64(labels[i])
			s.blocks++
			found[word] = s
		})
	}
	out := sightings{}
	for word, s := range found {
		out[word] = sighting{s.content / s.blocks, all.content / all.blocks, 1}
	}
	return out
}

// kind has the sightings of one kind of word on the pages of a set of sites.
type kind struct {
	total   sightings
	domains map[string]sightings
	chosen  map[string]bool
}

func newKind() *kind { return &kind{total: sightings{}, domains: map[string]sightings{}} }

func (k *kind) add(domain string, page sightings) {
	of := k.domains[domain]
	if of == nil {
		of = sightings{}
		k.domains[domain] = of
	}
	for word, s := range page {
		if len(word) > lexiconBytesMax {
			continue
		}
		t, d := k.total[word], of[word]
		t.add(s)
		d.add(s)
		k.total[word], of[word] = t, d
	}
}

// choose keeps the words that occur on most sites and are informative.
func (k *kind) choose() {
	sites := map[string]int{}
	for _, of := range k.domains {
		for word := range of {
			sites[word]++
		}
	}
	var list []string
	for word, n := range sites {
		if n >= lexiconDomainsMin && math.Abs(float64(k.total[word].odds())) >= lexiconOddsMin {
			list = append(list, word)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(sites[b], sites[a]), cmp.Compare(a, b)) })
	k.chosen = map[string]bool{}
	for _, word := range list[:min(len(list), lexiconWordsMax)] {
		k.chosen[word] = true
	}
}

func (k *kind) odds() map[string]float32 {
	out := make(map[string]float32, len(k.chosen))
	for word := range k.chosen {
		out[word] = k.total[word].odds()
	}
	return out
}

// without returns the odds as if k had not seen a domain. A page in training must not find its own labels in the lexicon.
func (k *kind) without(domain, word string) float32 {
	if !k.chosen[word] {
		return 0
	}
	return k.total[word].less(k.domains[domain][word]).odds()
}

// lexicon has both kinds of words.
type lexicon struct{ classes, words *kind }

func newLexicon(pages []*page) *lexicon {
	l := &lexicon{newKind(), newKind()}
	for _, p := range pages {
		l.classes.add(p.domain, p.classSightings)
		l.words.add(p.domain, p.wordSightings)
	}
	l.classes.choose()
	l.words.choose()
	return l
}

func (l *lexicon) dictionary() *maincontent.Dictionary {
	return &maincontent.Dictionary{Classes: l.classes.odds(), Words: l.words.odds()}
}

// lexiconWithout is a lexicon that has not seen one domain.
type lexiconWithout struct {
	*lexicon
	domain string
}

func (l lexiconWithout) Class(word string) float32 { return l.classes.without(l.domain, word) }
func (l lexiconWithout) Word(word string) float32  { return l.lexicon.words.without(l.domain, word) }
