package local

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/clip"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// closeBytesMax is how much of a page's text is searched for adjacent words.
	closeBytesMax = 4 << 10
	// Bonuses for a page whose title equals the query, contains all of it, or whose text has its words side by side.
	titleBonus, titledBonus, closeBonus = 0.4, 0.15, 0.35
)

// shown is a page with its text.
type shown struct {
	candidate

	text  db.SearchText
	exact bool // its title is the query
}

// wording is the words of a page's title and of the beginning of its text.
type wording struct{ title, text []string }

// show reads the text of pages, ranks them finally, and converts them to results.
func (s *search) show(ctx context.Context, q finder, candidates []candidate) ([]websearch.Result, error) {
	if len(candidates) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(candidates))
	for i, c := range candidates {
		ids[i] = c.id
	}
	rows, err := q.SearchTexts(ctx, db.SearchTextsParams{Ids: ids, Scopes: s.scopes})
	if err != nil {
		return nil, fmt.Errorf("reading the text of pages: %w", err)
	}
	texts := make(map[int64]db.SearchText, len(rows))
	words := map[string]struct{}{}
	for _, w := range s.words {
		words[w] = struct{}{}
	}
	said := make(map[int64]wording, len(rows))
	for _, row := range rows {
		texts[row.PageID] = row
		of := wording{wordsOf(row.Title, titleBytesMax), wordsOf(clip.Bytes(row.Text, closeBytesMax), closeBytesMax)}
		said[row.PageID] = of
		for _, some := range [][]string{of.title, of.text} {
			for _, w := range some {
				words[w] = struct{}{}
			}
		}
	}
	if s.stems, err = s.p.stems.of(ctx, q, words); err != nil {
		return nil, err
	}
	pages := make([]shown, 0, len(candidates))
	for _, c := range candidates {
		if text, ok := texts[c.id]; ok {
			page := shown{candidate: c, text: text}
			s.weigh(&page, said[c.id])
			pages = append(pages, page)
		}
	}
	byScore := func(a, b shown) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) }
	slices.SortFunc(pages, byScore)
	pages = distinct(pages)
	if len(s.query.Include) == 0 && s.named == "" && (len(pages) == 0 || !pages[0].exact) {
		mix(pages)
		slices.SortFunc(pages, byScore)
	}
	pages = pages[:min(len(pages), s.query.Limit)]
	results := make([]websearch.Result, 0, len(pages))
	for i := range pages {
		results = append(results, s.result(&pages[i]))
	}
	return results, nil
}

// weigh adds a bonus to a page's score if its title equals or contains the query, or its text has the query's words side by
// side.
func (s *search) weigh(page *shown, said wording) {
	title := s.stemmed(said.title)
	wanted := map[string]bool{}
	ofHost := s.stemmed(wordsOf(urlText(&url.URL{Host: s.named}), wordsMax))
	for _, t := range s.terms {
		if s.named == "" || !slices.Contains(ofHost, t) { // the site's name is not part of the page's title
			wanted[t] = true
		}
	}
	has, others := map[string]bool{}, 0
	for _, t := range title {
		if wanted[t] {
			has[t] = true
		} else {
			others++
		}
	}
	bonus := 0.0
	if len(has) == len(wanted) && len(wanted) > 0 {
		bonus += titledBonus
		if page.exact = others == 0 && len(wanted) > 1; page.exact {
			bonus += titleBonus
		}
	}
	if len(s.terms) > 1 {
		bonus += closeBonus * max(s.together(title), s.together(s.stemmed(said.text)))
	}
	page.score *= 1 + bonus
}

// stemmed returns the terms of words, without stop words.
func (s *search) stemmed(words []string) []string {
	terms := make([]string, 0, len(words))
	for _, w := range words {
		if stem := s.stems[w]; stem != "" {
			terms = append(terms, stem)
		}
	}
	return terms
}

// together returns the share of the query's adjacent word pairs that are adjacent in a text, too.
func (s *search) together(text []string) float64 {
	type pair struct{ a, b string }
	wanted := map[pair]bool{}
	for i := range len(s.terms) - 1 {
		wanted[pair{s.terms[i], s.terms[i+1]}] = false
	}
	found := 0
	for i := range len(text) - 1 {
		p := pair{text[i], text[i+1]}
		if seen, ok := wanted[p]; ok && !seen {
			wanted[p] = true
			found++
		}
	}
	return float64(found) / float64(len(wanted))
}

// distinct removes pages with the same content or URL as a page before them.
func distinct(pages []shown) []shown {
	digests, urls := map[int64]bool{}, map[string]bool{}
	return slices.DeleteFunc(pages, func(p shown) bool {
		if digests[p.digest] || urls[p.text.Url] {
			return true
		}
		digests[p.digest], urls[p.text.Url] = true, true
		return false
	})
}

// mix reduces the scores of further pages of a host.
func mix(pages []shown) {
	count := map[int64]int{}
	for i := range pages {
		for range max(count[pages[i].host]-hostMany+1, 0) {
			pages[i].score *= crowded
		}
		count[pages[i].host]++
	}
}

func (s *search) result(page *shown) websearch.Result {
	r := websearch.Result{URL: page.text.Url, Title: page.text.Title, Snippet: s.snippet(page.text.Text), Provider: Name}
	if page.text.PublishedAt != nil {
		r.Published = page.text.PublishedAt.UTC()
	}
	return r
}

const (
	// snippetBytes is the approximate length of a snippet.
	snippetBytes = 240
	// spotsMax is how many occurrences of terms in a text are examined.
	spotsMax = 2000
)

// snippet returns the part of the text that contains the most valuable terms of the query within a snippet's length, from
// the beginning of a sentence if one is near.
func (s *search) snippet(text string) string {
	worth := map[string]float64{}
	for i, t := range s.terms {
		worth[t] = s.idf[i]
	}
	type spot struct {
		term       string
		start, end int
	}
	var spots []spot
	eachWord(text, func(w word) bool {
		stem, known := s.stems[w.text]
		if !known {
			stem = w.text
		}
		if worth[stem] > 0 {
			spots = append(spots, spot{stem, w.start, w.end})
		}
		return len(spots) < spotsMax
	})
	from, best := 0, 0.0
	for i := range spots {
		seen, sum := map[string]bool{}, 0.0
		for _, other := range spots[i:] {
			if other.end > spots[i].start+snippetBytes {
				break
			}
			if !seen[other.term] {
				seen[other.term] = true
				sum += worth[other.term]
			}
		}
		if sum > best {
			from, best = spots[i].start, sum
		}
	}
	return excerpt(text, from)
}

// excerpt returns the text around from.
func excerpt(text string, from int) string {
	const before = 80
	start := max(0, from-before)
	if lead := text[start:from]; start > 0 {
		if at := strings.LastIndexAny(lead, ".!?\n"); at >= 0 {
			start += at + 1
		} else if at := strings.IndexAny(lead, " \t"); at >= 0 {
			start += at + 1
		} else {
			start = from
		}
	}
	part := clip.Bytes(text[start:], snippetBytes)
	if len(part) < len(text)-start {
		if at := strings.LastIndexAny(part, " \n\t"); at > snippetBytes/2 {
			part = part[:at]
		}
		part = oneLine(part) + " …"
	}
	return oneLine(part)
}

// isGap reports whether a character is not text: white space, or a control character.
func isGap(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u200b' || r == '\ufeff'
}
