package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/db"
)

// Name is the provider's name.
const Name = "local"

const (
	// wordsMax is how many words of a query are read.
	wordsMax = 64
	// lookedAt is how many of the best pages are ranked by their text.
	lookedAt = 30
	// The maximum bonus for freshness, and its half-life.
	freshShare, freshHalf = 0.08, 365 * 24 * time.Hour
	// covered is how much of a score depends on the share of the query that a page matches, namedBonus the factor for pages
	// on the host that the query names.
	covered, namedBonus = 0.5, 1.5
	// crowded is the factor for the third and each further result of a host, hostMany how many results are free of it.
	crowded, hostMany = 0.85, 2
)

// Config is the configuration of a Provider.
type Config struct {
	Pool *pgxpool.Pool // required
	// Shared lets a team also find shareable pages of other teams. Index must have the same setting.
	Shared bool
	Now    func() time.Time // required
}

// Provider finds pages that this installation has fetched.
type Provider struct {
	config Config
	stems  *stems
}

// New makes a Provider.
func New(config Config) (*Provider, error) {
	if config.Pool == nil || config.Now == nil {
		return nil, errors.New("local search: Pool and Now are required")
	}
	return &Provider{config: config, stems: newStems()}, nil
}

// Name implements websearch.Provider.
func (*Provider) Name() string { return Name }

// finder is the database interface of a search.
type finder interface {
	stemmer
	SearchKeyPages(ctx context.Context, keys []int64) ([]db.SearchKey, error)
	FindSearchPages(ctx context.Context, p db.FindSearchPagesParams) ([]db.FindSearchPagesRow, error)
	FindSearchPagesAt(ctx context.Context, p db.FindSearchPagesAtParams) ([]db.FindSearchPagesAtRow, error)
	SearchTexts(ctx context.Context, p db.SearchTextsParams) ([]db.SearchText, error)
	SimilarWords(ctx context.Context, p db.SimilarWordsParams) ([]db.SimilarWordsRow, error)
}

// Search implements websearch.Provider.
func (p *Provider) Search(ctx context.Context, q websearch.Query) ([]websearch.Result, error) {
	if q.TeamID == "" { // without a team no page may be found: the empty scope is that of all teams
		return nil, nil
	}
	s := &search{p: p, query: q, now: p.config.Now(), scopes: []string{q.TeamID}}
	if p.config.Shared {
		s.scopes = append(s.scopes, scopeAll)
	}
	if err := s.read(ctx); err != nil {
		return nil, fmt.Errorf("searching pages: %w", err)
	}
	if len(s.terms) == 0 && s.named == "" {
		return nil, nil
	}
	var results []websearch.Result
	err := pgx.BeginTxFunc(ctx, p.config.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		queries := db.New(tx)
		if _, err := queries.SetSearchPlan(ctx); err != nil {
			return fmt.Errorf("setting the plan: %w", err)
		}
		var err error
		results, err = s.run(ctx, queries)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("searching pages: %w", err)
	}
	return results, nil
}

// search is one search.
type search struct {
	p      *Provider
	query  websearch.Query
	now    time.Time
	scopes []string

	words []string // as entered
	terms []string // their stems, each once
	named string   // a host that the query names, or ""
	stems map[string]string
	plans []*plan
	idf   []float64
}

// candidate is a page that matches a clause.
type candidate struct {
	id, host, digest int64
	score            float64
}

// read converts the query's words to terms.
func (s *search) read(ctx context.Context) error {
	text := storable(s.query.Text)
	s.words = wordsOf(text, wordsMax)
	s.named = hostNamed(text)
	distinct := map[string]struct{}{}
	for _, w := range s.words {
		distinct[w] = struct{}{}
	}
	var err error
	if s.stems, err = s.p.stems.of(ctx, db.New(s.p.config.Pool), distinct); err != nil {
		return err
	}
	for _, w := range s.words {
		if stem := s.stems[w]; stem != "" && !slices.Contains(s.terms, stem) {
			s.terms = append(s.terms, stem)
		}
	}
	if len(s.terms) == 0 { // only stop words, which are searched for in titles
		for _, w := range s.words {
			if !slices.Contains(s.terms, w) {
				s.terms = append(s.terms, w)
			}
		}
	}
	return nil
}

// hostNamed returns the host that a query names by its URL or full name, or "".
func hostNamed(text string) string {
	for field := range strings.FieldsSeq(strings.ToLower(text)) {
		field = strings.Trim(field, "\"'(),;<>")
		if _, rest, found := strings.Cut(field, "://"); found {
			field = rest
		}
		u, err := url.Parse("http://" + field)
		if err != nil || u.User != nil {
			continue
		}
		host := strings.TrimPrefix(u.Hostname(), "www.")
		last := strings.LastIndexByte(host, '.')
		if last > 0 && len(host)-last > 2 && strings.Trim(host[last+1:], "abcdefghijklmnopqrstuvwxyz") == "" {
			return host
		}
	}
	return ""
}

func (s *search) run(ctx context.Context, q finder) ([]websearch.Result, error) {
	if err := s.look(ctx, q); err != nil {
		return nil, err
	}
	best := map[int64]candidate{}
	for _, plan := range s.plans {
		if err := s.find(ctx, q, plan, best); err != nil {
			return nil, err
		}
	}
	candidates := make([]candidate, 0, len(best))
	for _, c := range best {
		candidates = append(candidates, c)
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	candidates = candidates[:min(len(candidates), max(lookedAt, 2*s.query.Limit))]
	return s.show(ctx, q, candidates)
}

// look counts the pages of each term, corrects terms without pages, and makes the plans.
func (s *search) look(ctx context.Context, q finder) error {
	if err := s.count(ctx, q); err != nil {
		return err
	}
	mended := false
	for i, text := range s.terms {
		missing, err := s.isMissing(ctx, q, i)
		if err != nil {
			return err
		}
		for _, scope := range s.scopes {
			if !missing {
				break
			}
			meant, err := s.p.mend(ctx, q, scope, text)
			if err != nil {
				return err
			}
			if meant != "" {
				s.terms[i], missing, mended = meant, false, true
			}
		}
	}
	if mended {
		slices.Sort(s.terms)
		s.terms = slices.Compact(s.terms)
		if err := s.count(ctx, q); err != nil {
			return err
		}
	}
	s.limit()
	return nil
}

// count makes the plans anew.
func (s *search) count(ctx context.Context, q finder) error {
	var keys []int64
	for _, scope := range s.scopes {
		keys = append(keys, keyOf(scope, kindAll, 0, ""))
		for _, text := range s.terms {
			for level := range levels {
				keys = append(keys, keyOf(scope, kindTerm, level, text))
			}
		}
	}
	rows, err := q.SearchKeyPages(ctx, keys)
	if err != nil {
		return fmt.Errorf("counting pages: %w", err)
	}
	pages := make(map[int64]int64, len(rows))
	for _, row := range rows {
		pages[row.Key] = row.Pages
	}
	s.plans = s.plans[:0]
	for _, scope := range s.scopes {
		p := &plan{scope: scope, all: pages[keyOf(scope, kindAll, 0, "")], terms: make([]lookup, len(s.terms))}
		for i, text := range s.terms {
			p.terms[i].text = text
			for level := range levels {
				p.terms[i].pages[level] = pages[keyOf(scope, kindTerm, level, text)]
			}
		}
		s.plans = append(s.plans, p)
	}
	return nil
}

// isMissing reports whether no page has the i-th term. If no page in a sample has it, the index is queried.
func (s *search) isMissing(ctx context.Context, q finder, i int) (bool, error) {
	missing := true
	for _, p := range s.plans {
		t := &p.terms[i]
		if t.pages[0] == 0 && p.all >= wholePages {
			rows, err := q.FindSearchPages(ctx, db.FindSearchPagesParams{
				Clauses: []string{literal([]int64{keyOf(p.scope, kindTerm, 0, t.text)})}, Terms: []int64{}, Scope: p.scope, Now: s.now,
				Excluded: []int64{}, PagesMax: 1,
			})
			if err != nil {
				return false, fmt.Errorf("looking up a rare term: %w", err)
			}
			t.pages[0] = int64(len(rows))
		}
		missing = missing && t.pages[0] == 0
	}
	return missing, nil
}

// limit computes the terms' weights, and drops the most frequent ones if there are too many.
func (s *search) limit() {
	all := int64(0)
	on := make([]int64, len(s.terms))
	for _, p := range s.plans {
		all += p.all
		for i := range p.terms {
			if p.all >= wholePages && p.terms[i].pages[0] > 0 {
				p.terms[i].pages[0] = max(p.terms[i].pages[0], 1)
			}
			on[i] += p.terms[i].pages[0]
		}
	}
	if len(s.terms) > queryTermsMax {
		order := make([]int, len(s.terms))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(on[a], on[b]) })
		kept := order[:queryTermsMax]
		slices.Sort(kept)
		s.terms, on = pick(s.terms, kept), pick(on, kept)
		for _, p := range s.plans {
			p.terms = pick(p.terms, kept)
		}
	}
	s.idf = make([]float64, len(s.terms))
	for i := range s.terms {
		s.idf[i] = math.Log(1 + (float64(max(all-on[i], 0))+0.5)/(float64(on[i])+0.5))
	}
}

func pick[T any](from []T, kept []int) []T {
	out := make([]T, 0, len(kept))
	for _, i := range kept {
		out = append(out, from[i])
	}
	return out
}

// find scores the pages of a plan's clauses.
func (s *search) find(ctx context.Context, q finder, p *plan, best map[int64]candidate) error {
	clauses := p.literals(p.clauses())
	hosts, excluded := hostKeys(p.scope, s.query.Include), hostKeys(p.scope, s.query.Exclude)
	if s.named != "" {
		clauses = append(clauses, literal([]int64{keyOf(p.scope, kindHost, 0, s.named)}))
	}
	if len(hosts) > 0 { // a host may have so few pages that those at the upper levels are not enough
		for i := range p.terms {
			clauses = append(clauses, literal([]int64{keyOf(p.scope, kindTerm, 0, p.terms[i].text)}))
		}
	}
	if len(clauses) == 0 {
		return nil
	}
	terms := make([]int64, len(p.terms))
	for i := range p.terms {
		terms[i] = keyOf(p.scope, kindTerm, 0, p.terms[i].text)
	}
	if len(hosts) > 0 {
		rows, err := q.FindSearchPagesAt(ctx, db.FindSearchPagesAtParams{
			Clauses: clauses, Terms: terms, Hosts: hosts, Scope: p.scope, Now: s.now, Excluded: excluded, PagesMax: clausePagesMax,
		})
		if err != nil {
			return fmt.Errorf("finding pages: %w", err)
		}
		for _, row := range rows {
			s.score(best, db.FindSearchPagesRow(row))
		}
		return nil
	}
	rows, err := q.FindSearchPages(ctx, db.FindSearchPagesParams{
		Clauses: clauses, Terms: terms, Scope: p.scope, Now: s.now, Excluded: excluded, PagesMax: clausePagesMax,
	})
	if err != nil {
		return fmt.Errorf("finding pages: %w", err)
	}
	for _, row := range rows {
		s.score(best, row)
	}
	return nil
}

func hostKeys(scope string, domains []string) []int64 {
	keys := make([]int64, 0, len(domains))
	for _, domain := range domains {
		keys = append(keys, keyOf(scope, kindHost, 0, strings.TrimSuffix(strings.ToLower(domain), ".")))
	}
	return keys
}

// score adds a page with its score.
func (s *search) score(best map[int64]candidate, row db.FindSearchPagesRow) {
	if _, known := best[row.ID]; known {
		return
	}
	score, has, all := 0.0, 0.0, 0.0
	for i, idf := range s.idf {
		all += idf
		if i < len(row.Impacts) && row.Impacts[i] > 0 {
			score += idf * float64(row.Impacts[i]) / impactHighest
			has += idf
		}
	}
	if all > 0 {
		score *= 1 - covered + covered*has/all
	}
	if s.named != "" && row.Host == hash64(s.named) {
		score = (score + 1) * namedBonus
	}
	if score == 0 {
		return
	}
	age := max(s.now.Sub(row.DatedAt), 0)
	score *= 1 + freshShare*math.Exp2(-float64(age)/float64(freshHalf))
	best[row.ID] = candidate{id: row.ID, host: row.Host, digest: row.Digest, score: score}
}
