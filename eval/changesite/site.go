package changesite

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Site is a site that changes.
type Site struct {
	Name string
	// Runs is how many runs there are after the baseline, which is run 0.
	Runs int
	// Start is when the baseline is read, and Every what is between two runs; without them it is 2 March 2026, 8:00 UTC, and a day.
	Start time.Time
	Every time.Duration
	Pages []*Page
}

// at is when a run reads its pages.
func (s *Site) at(number int) time.Time {
	start, every := s.Start, s.Every
	if start.IsZero() {
		start = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	}
	if every == 0 {
		every = 24 * time.Hour
	}
	return start.Add(time.Duration(number) * every)
}

// Page is a page of it.
type Page struct {
	Path string
	Type string
	// Edits are the runs for which there is an edit, and what it is.
	Edits map[int]string
	// DataEdits are those of Edits that are of Data.
	DataEdits map[int]string
	// Render writes the page of a run in HTML.
	Render func(n *Run) string
	// Schema and Data are what would be extracted of it: an output_schema, and its fields in a run. nil where nothing is.
	Schema string
	Data   func(n *Run) map[string]any
}

// Run is a run of a page as one answer of its server shows it: what is edited is asked of Since, and all else drawn.
type Run struct {
	// Rand is drawn anew for each answer, as what a server makes anew with each page: clocks to the second, session ids,
	// teasers in rotation.
	*rand.Rand

	// Calm is drawn once for a run, and stays over its answers, as what changes by the hour or the day: the date, the weather,
	// visitors today, "updated 2 hours ago".
	Calm *rand.Rand

	Number int
	edits  map[int]string
}

// New draws an answer of a page in a run: look is the number of the answer, from 0. Seeds give other noise, and the same edits.
func (p *Page) New(number, look int, seed uint64) *Run {
	answer := fmt.Sprintf("%s %d", p.Path, number)
	if look > 0 {
		answer += fmt.Sprintf(" look %d", look)
	}
	return &Run{Rand: drawn(answer, seed), Calm: drawn(fmt.Sprintf("%s %d calm", p.Path, number), seed), Number: number}
}

func drawn(from string, seed uint64) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(from))                  // never fails
	return rand.New(rand.NewPCG(hash.Sum64(), seed)) //nolint:gosec // the same draw each time is what is wanted
}

// Calmly is the run with all draws made from Calm, for Pick, Some, Shuffled and Hex.
func (n *Run) Calmly() *Run {
	return &Run{Rand: n.Calm, Calm: n.Calm, Number: n.Number, edits: n.edits}
}

// Body is an answer with the page in a run.
func (p *Page) Body(number, look int, seed uint64) string { return p.Render(p.New(number, look, seed)) }

// Collect fills Edits by rendering all runs; pages are only whole after it.
func (s *Site) Collect() *Site {
	for _, p := range s.Pages {
		p.Edits, p.DataEdits = map[int]string{}, map[int]string{}
		for number := range s.Runs + 1 {
			n := p.New(number, 0, 0)
			n.edits = p.Edits
			p.Render(n)
			if p.Data != nil {
				n.edits = p.DataEdits
				p.Data(n)
			}
		}
	}
	return s
}

// Since is what is said in a run: first, and from each run that is named what comes after it. Planned runs are noted as edits.
func Since[T any](n *Run, first T, edits ...Edit[T]) T {
	value := first
	for _, e := range edits {
		if e.Run == n.Number && n.edits != nil {
			n.edits[e.Run] = fmt.Sprintf("%v", e.Value)
		}
		if e.Run <= n.Number {
			value = e.Value
		}
	}
	return value
}

// Edit is what is said from a run on.
type Edit[T any] struct {
	Run   int
	Value T
}

// At is an edit.
func At[T any](run int, value T) Edit[T] { return Edit[T]{run, value} }

// Pick draws one of several.
func Pick[T any](n *Run, of ...T) T { return of[n.IntN(len(of))] }

// Shuffled is a list in an order drawn by lot.
func Shuffled[T any](n *Run, list ...T) []T {
	list = slices.Clone(list)
	n.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// Some draws several of a list.
func Some[T any](n *Run, count int, list ...T) []T { return Shuffled(n, list...)[:count] }

// Hex draws hexadecimal digits.
func (n *Run) Hex(digits int) string {
	var out strings.Builder
	for range digits {
		_ = out.WriteByte("0123456789abcdef"[n.IntN(16)])
	}
	return out.String()
}

// Each joins what is written of each of a list.
func Each[T any](list []T, write func(T) string) string {
	var out strings.Builder
	for _, item := range list {
		_, _ = out.WriteString(write(item))
	}
	return out.String()
}

// Server serves a site over HTTP, in one run after the other. Each answer is another look.
type Server struct {
	site   *Site
	run    atomic.Int64
	served atomic.Int64
}

// NewServer serves a site, in run 0.
func NewServer(site *Site) *Server { return &Server{site: site} }

// Go goes to a run.
func (s *Server) Go(run int) { s.run.Store(int64(run)) }

// ServeHTTP answers with the page of the run.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, p := range s.site.Pages {
		if p.Path == r.URL.Path {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			_, _ = w.Write([]byte(p.Body(int(s.run.Load()), int(s.served.Add(1)), 1))) // a client that leaves is its own concern
			return
		}
	}
	http.NotFound(w, r)
}
