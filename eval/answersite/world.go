package answersite

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// The limits of one answer, which are those of the service.
const (
	pagesMax    = 12
	searchesMax = 8
)

var (
	errEnoughPages    = fmt.Errorf("an answer opens %d pages at most", pagesMax)
	errEnoughSearches = fmt.Errorf("an answer searches %d times at most", searchesMax)
)

// World is the set as one who answers a task sees it, without a network. It is an ask.World.
type World struct {
	set   *Set
	task  *Task
	given []*ask.Source

	mu       sync.Mutex
	opened   map[string]bool
	searched map[string]bool
}

// World returns what a task is answered from.
func (s *Set) World(task *Task) (*World, error) {
	w := &World{set: s, task: task, opened: map[string]bool{}, searched: map[string]bool{}}
	for _, file := range task.Files {
		source := extract.Source{URL: "file:" + file.ID, MediaType: "application/json", Body: file.JSON}
		document, err := extract.Read(context.Background(), source, extract.Options{})
		if err != nil {
			return nil, fmt.Errorf("reading file %s of %s: %w", file.ID, task.Name, err)
		}
		w.given = append(w.given, &ask.Source{URL: source.URL, Document: document, Page: source, JSON: file.JSON, Named: true})
	}
	return w, nil
}

// Given are the task's context files.
func (w *World) Given() []*ask.Source { return w.given }

var urls = regexp.MustCompile(`https?://[^\s"'<>()]+[^\s"'<>().,;:?!]`)

// once notes that something is asked for, and reports whether there is room for it.
func (w *World) once(asked map[string]bool, what string, most int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !asked[what] && len(asked) >= most {
		return false
	}
	asked[what] = true
	return true
}

// Open reads a page.
func (w *World) Open(ctx context.Context, url string) (*ask.Source, error) {
	if !w.once(w.opened, url, pagesMax) {
		return nil, errEnoughPages
	}
	page := w.set.Page(url)
	if page == nil {
		return nil, fmt.Errorf("there is no page at %s", url)
	}
	source, err := page.Source(ctx)
	if err != nil {
		return nil, err
	}
	own := *source
	own.Named = slices.Contains(urls.FindAllString(w.task.Text, -1), page.URL)
	return &own, nil
}

// Source is the page as it is read.
func (p *Page) Source(ctx context.Context) (*ask.Source, error) {
	p.read.Do(func() {
		source := extract.Source{URL: p.URL, MediaType: p.MediaType, Body: p.Body}
		document, err := extract.Read(context.WithoutCancel(ctx), source, extract.Options{Structured: true})
		if err != nil {
			p.err = fmt.Errorf("reading %s: %w", p.URL, err)
			return
		}
		p.source = &ask.Source{URL: p.URL, Title: document.Metadata.Title, Document: document, Page: source, Published: publishedAt(document)}
	})
	return p.source, p.err
}

// publishedAt is when a page says that it was published, as the service reads it.
func publishedAt(document *extract.Document) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, document.Metadata.PublishedAt); err == nil {
			return at
		}
	}
	return time.Time{}
}

// Search finds pages by BM25 over their titles and texts.
func (w *World) Search(ctx context.Context, text string, limit int) ([]websearch.Result, error) {
	if !w.once(w.searched, fmt.Sprint(limit, " ", text), searchesMax) {
		return nil, errEnoughSearches
	}
	w.set.indexed.Do(func() { w.set.index = newIndex(context.WithoutCancel(ctx), w.set.Pages) })
	return w.set.index.search(text, limit), nil
}

// The constants of BM25 as they are commonly chosen, and how often a word of a title counts.
const (
	saturation, lengthShare = 1.2, 0.75
	titleWeight             = 3
	snippetWords            = 30
)

type index struct {
	documents []indexed
	// in is how many documents have a word.
	in     map[string]int
	length float64 // the mean
}

type indexed struct {
	page   *Page
	title  string
	text   string
	counts map[string]int
	length int

	published time.Time
}

func newIndex(ctx context.Context, pages []*Page) *index {
	x := &index{in: map[string]int{}}
	for _, page := range pages {
		d := indexed{page: page, counts: map[string]int{}}
		if source, err := page.Source(ctx); err == nil {
			d.title, d.text, d.published = source.Title, source.Document.Text, source.Published
		}
		for _, word := range wordsOf(d.text) {
			d.counts[word]++
			d.length++
		}
		for _, word := range wordsOf(d.title) {
			d.counts[word] += titleWeight
			d.length += titleWeight
		}
		for word := range d.counts {
			x.in[word]++
		}
		x.documents = append(x.documents, d)
		x.length += float64(d.length) / float64(len(pages))
	}
	return x
}

func (x *index) search(text string, limit int) []websearch.Result {
	type hit struct {
		at    int
		score float64
	}
	asked := wordsOf(text)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	var hits []hit
	for at, d := range x.documents {
		score := 0.0
		for _, word := range asked {
			n, in := float64(d.counts[word]), float64(x.in[word])
			if n > 0 {
				rarity := math.Log(1 + (float64(len(x.documents))-in+0.5)/(in+0.5))
				score += rarity * n * (saturation + 1) / (n + saturation*(1-lengthShare+lengthShare*float64(d.length)/x.length))
			}
		}
		if score > 0 {
			hits = append(hits, hit{at, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return a.at - b.at
	})
	var results []websearch.Result
	for _, h := range hits[:min(limit, len(hits))] {
		d := x.documents[h.at]
		results = append(results, websearch.Result{
			URL: d.page.URL, Title: d.title, Snippet: snippet(d.text, asked), Published: d.published, Provider: "gold",
		})
	}
	return results
}

// snippet is the stretch of a text that has the most of the words.
func snippet(text string, asked []string) string {
	all := strings.Fields(text)
	best, most := 0, -1
	for from := 0; from < len(all); from += snippetWords / 2 {
		found := 0
		for _, word := range wordsOf(strings.Join(all[from:min(from+snippetWords, len(all))], " ")) {
			if slices.Contains(asked, word) {
				found++
			}
		}
		if found > most {
			best, most = from, found
		}
	}
	return strings.Join(all[best:min(best+snippetWords, len(all))], " ")
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var (
	tags     = regexp.MustCompile(`(?s)<!--.*?-->|</?[a-zA-Z][^>]*>`)
	entities = strings.NewReplacer("&amp;", "&", "&nbsp;", " ", "&#8239;", " ", "&euro;", "€", "&lt;", "<", "&gt;", ">", "&#39;", "'", "&quot;", `"`, "&pound;", "£",
		"&#34;", `"`)
)

// visible is what a page's markup shows to who looks at it as text: parts of it that extraction leaves out are there, too.
func visible(body []byte, mediaType string) string {
	if mediaType == "application/pdf" {
		return ""
	}
	return entities.Replace(string(tags.ReplaceAll(bytes.ReplaceAll(body, []byte("\\/"), []byte("/")), []byte(" "))))
}
