package main

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/websearch/local"
)

const (
	// vocabulary is the number of words; the n-th has a frequency proportional to 1/n (Zipf's law).
	vocabulary = 80_000
	hosts      = 5000
	// Pages have wordsMean words in the median, by a lognormal distribution, within bounds.
	wordsMean, wordsMin, wordsMax = 80, 20, 1000
	team                          = "team_bench"
)

// corpus generates pages, always the same.
type corpus struct {
	words []string
	upTo  []float64 // cumulative share of occurrences up to each word
	asked []asked
	on    []int64 // pages that contain the n-th word
	seen  []int32 // the last page that contained it
}

// asked is a query: the numbers of its words, and how many pages contain them all.
type asked struct {
	kind    string
	text    string
	words   []int
	include []string
	matches int64
}

func newCorpus() *corpus {
	c := &corpus{words: make([]string, vocabulary), upTo: make([]float64, vocabulary), on: make([]int64, vocabulary), seen: make([]int32, vocabulary)}
	sum := 0.0
	for i := range c.words {
		c.words[i] = wordOf(i)
		sum += 1 / float64(i+1)
		c.upTo[i] = sum
		c.seen[i] = -1
	}
	for i := range c.upTo {
		c.upTo[i] /= sum
	}
	return c
}

// wordOf returns a pronounceable word, a different one for each number.
func wordOf(n int) string {
	const consonants, vowels = "bdfgklmnprtvz", "aeiou"
	var b strings.Builder
	for i, left := 0, n+7; i < 2 || left > 0; i++ {
		syllable := left % (len(consonants) * len(vowels))
		left /= len(consonants) * len(vowels)
		b.WriteByte(consonants[syllable/len(vowels)])
		b.WriteByte(vowels[syllable%len(vowels)])
	}
	b.WriteByte('k') // so that no two words share a stem
	return b.String()
}

func (c *corpus) draw(r *rand.Rand) int { return sort.SearchFloat64s(c.upTo, r.Float64()) }

// ask creates queries before the pages: of frequent words, of frequent and rare ones, of random words, within a host's
// pages, and misspelt ones.
func (c *corpus) ask(queries int) {
	r := rand.New(rand.NewPCG(1, 8)) //nolint:gosec // always the same
	for i := range queries {
		a := asked{kind: "as they come"}
		switch i % 20 {
		case 0, 1, 2, 3:
			a.kind, a.words = "one frequent word", []int{r.IntN(150)}
		case 4, 5, 6:
			a.kind, a.words = "two frequent words", []int{r.IntN(25), 25 + r.IntN(10)}
		case 7, 8:
			a.kind, a.words = "three frequent words", []int{r.IntN(8), 8 + r.IntN(8), 16 + r.IntN(8)}
		case 9, 10, 11:
			a.kind, a.words = "frequent and rare", []int{r.IntN(100), 2000 + r.IntN(20_000)}
		case 12:
			a.kind, a.words = "of a host", []int{r.IntN(300)}
			a.include = []string{hostOf(r.IntN(hosts))}
		case 13:
			a.kind, a.words = "misspelt", []int{5000 + r.IntN(10_000)}
		default:
			for range 2 + r.IntN(4) {
				a.words = append(a.words, c.draw(r))
			}
		}
		texts := make([]string, len(a.words))
		for n, w := range a.words {
			texts[n] = c.words[w]
		}
		a.text = strings.Join(texts, " ")
		if a.kind == "misspelt" {
			a.text, a.words = a.text[:2]+"y"+a.text[2:], nil
		}
		c.asked = append(c.asked, a)
	}
}

func hostOf(n int) string { return fmt.Sprintf("site%d.example", n) }

// pages yields n pages.
func (c *corpus) pages(n int, now time.Time) iter.Seq2[local.Page, error] {
	r := rand.New(rand.NewPCG(8, 1)) //nolint:gosec // always the same
	return func(yield func(local.Page, error) bool) {
		for i := range n {
			if !yield(c.page(r, i, now), nil) {
				return
			}
		}
	}
}

func (c *corpus) page(r *rand.Rand, i int, now time.Time) local.Page {
	n := int(min(max(wordsMean*math.Exp(0.6*r.NormFloat64()), wordsMin), wordsMax))
	var text, title strings.Builder
	say := func(b *strings.Builder) {
		w := c.draw(r)
		if c.seen[w] != int32(i) { //nolint:gosec // a million
			c.seen[w] = int32(i) //nolint:gosec // a million
			c.on[w]++
		}
		b.WriteString(c.words[w])
		b.WriteByte(' ')
	}
	for range n {
		say(&text)
	}
	for range 3 + r.IntN(6) {
		say(&title)
	}
	host := hostOf(r.IntN(hosts))
	for q := range c.asked {
		if a := &c.asked[q]; len(a.words) > 0 && (len(a.include) == 0 || a.include[0] == host) && c.has(a.words, i) {
			a.matches++
		}
	}
	return local.Page{
		TeamID: team, RetrieveID: fmt.Sprintf("page%d", i), URL: fmt.Sprintf("https://%s/%d", host, i), Title: title.String(), Text: text.String(),
		Fetched: now.Add(-time.Duration(r.IntN(1000)) * time.Hour), Expires: now.Add(time.Hour * 24 * 365),
	}
}

func (c *corpus) has(words []int, page int) bool {
	for _, w := range words {
		if c.seen[w] != int32(page) { //nolint:gosec // a million
			return false
		}
	}
	return true
}
