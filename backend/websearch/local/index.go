package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// batchPages is how many pages one transaction indexes: enough to count most of their terms only once, and few enough
	// that searches need not wait for pending pages.
	batchPages = 64
	// wholePages is up to how many pages of a scope each page is counted. Above, one in sampleEvery is, with that weight.
	wholePages, sampleEvery = 20_000, 16
	// drainEvery is how long a page waits at most to be indexed, if indexing keeps up.
	drainEvery = 2 * time.Second
)

// Contents reads kept content.
type Contents interface {
	// Searchable returns the page kept under a retrieve_id, using outcome of table content; false if nothing of it can be
	// found. It does not set TeamID, RetrieveID, Fetched and Expires.
	Searchable(ctx context.Context, retrieveID string, outcome json.RawMessage) (Page, bool, error)
}

// IndexConfig is the configuration of an Index.
type IndexConfig struct {
	Pool     *pgxpool.Pool // required
	Contents Contents      // required by Drain
	// Shared lets all teams find pages that may be shared.
	Shared bool
	Logger *slog.Logger     // required
	Now    func() time.Time // required
}

// Index writes the index. It keeps no state besides a cache.
type Index struct {
	config IndexConfig
	stems  *stems
}

// NewIndex makes an Index.
func NewIndex(config IndexConfig) (*Index, error) {
	if config.Pool == nil || config.Logger == nil || config.Now == nil {
		return nil, errors.New("search index: Pool, Logger and Now are required")
	}
	return &Index{config: config, stems: newStems()}, nil
}

// Drain indexes all queued pages and returns how many queue rows it processed. If another process is indexing, it does
// nothing. A page that cannot be read is logged and left out; its content stays.
func (x *Index) Drain(ctx context.Context) (int, error) {
	total := 0
	for {
		n, err := x.drainSome(ctx)
		total += n
		if err != nil || n < batchPages {
			return total, err
		}
	}
}

func (x *Index) drainSome(ctx context.Context) (n int, err error) {
	err = pgx.BeginFunc(ctx, x.config.Pool, func(tx pgx.Tx) error {
		q := db.New(tx)
		got, err := q.TryLockSearchIndex(ctx)
		if err != nil {
			return fmt.Errorf("locking the search index: %w", err)
		}
		if !got {
			return nil
		}
		rows, err := q.TakeSearchQueue(ctx, batchPages)
		if err != nil {
			return fmt.Errorf("reading the search queue: %w", err)
		}
		n = len(rows)
		pages := make([]Page, 0, len(rows))
		for _, row := range rows {
			if row.Outcome == "" || !x.config.Now().Before(row.ExpiresAt) {
				continue
			}
			page, ok, err := x.config.Contents.Searchable(ctx, row.RetrieveID, json.RawMessage(row.Outcome))
			if err != nil && ctx.Err() != nil {
				return err
			}
			if err != nil {
				x.config.Logger.WarnContext(ctx, "a page could not be indexed", "retrieve_id", row.RetrieveID, "error", err)
				continue
			}
			if ok {
				page.TeamID, page.RetrieveID, page.Fetched, page.Expires = row.TeamID, row.RetrieveID, row.CreatedAt, row.ExpiresAt
				pages = append(pages, page)
			}
		}
		return x.put(ctx, q, pages)
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Run drains the queue every drainEvery until ctx ends.
func (x *Index) Run(ctx context.Context) {
	again := time.NewTicker(drainEvery)
	defer again.Stop()
	for {
		if _, err := x.Drain(ctx); err != nil && ctx.Err() == nil {
			x.config.Logger.ErrorContext(ctx, "background work failed", "doing", "indexing pages for search", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// Put indexes pages, each replacing the team's page at its URL. Of several pages at one URL the last counts.
func (x *Index) Put(ctx context.Context, pages ...Page) error {
	for some := range slices.Chunk(pages, batchPages) {
		err := pgx.BeginFunc(ctx, x.config.Pool, func(tx pgx.Tx) error {
			q := db.New(tx)
			if err := q.LockSearchIndex(ctx); err != nil {
				return fmt.Errorf("locking the search index: %w", err)
			}
			return x.put(ctx, q, some)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) put(ctx context.Context, q *db.Queries, pages []Page) error {
	entries, err := x.entriesOf(ctx, q, pages)
	if err != nil || len(entries) == 0 {
		return err
	}
	gone := db.RemoveSearchPagesParams{}
	for _, e := range entries {
		gone.Scopes, gone.UrlsSha256 = append(gone.Scopes, e.scope), append(gone.UrlsSha256, e.urlSHA256())
	}
	if _, err := q.RemoveSearchPages(ctx, gone); err != nil {
		return fmt.Errorf("replacing pages: %w", err)
	}
	weights, err := weigh(ctx, q, entries)
	if err != nil {
		return err
	}
	ids, err := q.ReserveSearchPages(ctx, int32(len(entries))) //nolint:gosec // a batch
	if err != nil {
		return fmt.Errorf("numbering pages: %w", err)
	}
	made := newRows(entries, weights, ids)
	if _, err := q.InsertSearchPages(ctx, made.pages); err != nil {
		return fmt.Errorf("indexing pages: %w", err)
	}
	if _, err := q.InsertSearchTexts(ctx, made.texts); err != nil {
		return fmt.Errorf("storing the text of pages: %w", err)
	}
	return made.count(ctx, q)
}

// entriesOf returns the entries of pages in all their scopes, one per URL and scope.
func (x *Index) entriesOf(ctx context.Context, q stemmer, pages []Page) ([]*entry, error) {
	words := map[string]struct{}{}
	drafts := make([]*draft, 0, len(pages))
	shareable := make([]bool, 0, len(pages))
	for i := range pages {
		d, ok := draftOf(&pages[i])
		if !ok {
			continue
		}
		drafts, shareable = append(drafts, d), append(shareable, pages[i].Shareable)
		for w := range d.counts {
			words[w] = struct{}{}
		}
	}
	stems, err := x.stems.of(ctx, q, words)
	if err != nil {
		return nil, err
	}
	type place struct{ scope, url string }
	at := map[place]int{}
	var entries []*entry
	add := func(e *entry) {
		if i, ok := at[place{e.scope, e.url}]; ok {
			entries[i] = e
			return
		}
		at[place{e.scope, e.url}] = len(entries)
		entries = append(entries, e)
	}
	for i, d := range drafts {
		e := d.finish(stems)
		add(e)
		if x.config.Shared && shareable[i] && mayShare(e.url) {
			add(e.in(scopeAll))
		}
	}
	return entries, nil
}

// mayShare is the last check before a page is shared with all teams: no URL with a query is shared, whatever was decided
// before, and none whose path contains what looks like a secret key.
func mayShare(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" || u.ForceQuery || u.User != nil || u.Port() != "" || !strings.Contains(u.Hostname(), ".") {
		return false
	}
	for segment := range strings.FieldsFuncSeq(u.Path, func(r rune) bool { return strings.ContainsRune("/-_.~;=,", r) }) {
		if looksSecret(segment) {
			return false
		}
	}
	// The parts of a UUID are too short to be recognized one by one.
	return !hasUUID(u.Path)
}

const secretCharsMin = 16

// looksSecret reports whether a part of a path looks like a key: long, with letters and digits mixed.
func looksSecret(s string) bool {
	return len(s) >= secretCharsMin && strings.ContainsAny(s, "0123456789") && strings.IndexFunc(s, func(r rune) bool { return r < '0' || '9' < r }) >= 0
}

func hasUUID(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if len(segment) >= 36 && strings.Count(segment, "-") >= 4 && strings.Trim(segment[:36], "0123456789abcdefABCDEF-") == "" {
			return true
		}
	}
	return false
}

// weigh returns the weight of each entry in the counts: in a scope with many pages, a sample counts for all.
func weigh(ctx context.Context, q *db.Queries, entries []*entry) ([]int32, error) {
	all := map[int64]int64{}
	for _, e := range entries {
		all[keyOf(e.scope, kindAll, 0, "")] = 0
	}
	keys := make([]int64, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	rows, err := q.SearchKeyPages(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("counting pages: %w", err)
	}
	for _, row := range rows {
		all[row.Key] = row.Pages
	}
	weights := make([]int32, len(entries))
	for i, e := range entries {
		switch {
		case all[keyOf(e.scope, kindAll, 0, "")] < wholePages:
			weights[i] = 1
		case uint64(hash64(e.url))%sampleEvery == 0: //nolint:gosec // the bits are what counts
			weights[i] = sampleEvery
		}
	}
	return weights, nil
}

// rows are entries in the form in which they are written.
type rows struct {
	pages  []db.InsertSearchPagesParams
	texts  []db.InsertSearchTextsParams
	counts map[int64]int64
	words  map[int64]spelt
}

// spelt is a word that may be offered as a spelling correction, and its scope.
type spelt struct{ scope, word string }

func newRows(entries []*entry, weights []int32, ids []int64) *rows {
	r := &rows{counts: map[int64]int64{}, words: map[int64]spelt{}}
	for i, e := range entries {
		r.add(e, weights[i], ids[i])
	}
	return r
}

func (r *rows) add(e *entry, weight int32, id int64) {
	keys, impacts := e.keys()
	r.pages = append(r.pages, db.InsertSearchPagesParams{
		ID: id, Scope: e.scope, UrlSha256: e.urlSHA256(), RetrieveID: e.retrieveID, Keys: keys, Impacts: impacts, Weight: weight,
		Host: hash64(e.host), Digest: e.digest, DatedAt: e.dated(), ExpiresAt: e.expires,
	})
	text := db.InsertSearchTextsParams{PageID: id, Url: e.url, Title: e.title, Text: e.text}
	if !e.published.IsZero() {
		text.PublishedAt = &e.published
	}
	r.texts = append(r.texts, text)
	if weight == 0 {
		return
	}
	for i, key := range keys {
		r.counts[key] += int64(weight)
		if i < len(e.terms) && isSpellable(e.terms[i].text) {
			r.words[key] = spelt{e.scope, e.terms[i].text}
		}
	}
}

// count adds the keys of rows to the counts, and stores new words for spelling correction.
func (r *rows) count(ctx context.Context, q *db.Queries) error {
	counts := db.CountSearchKeysParams{}
	for key := range r.counts {
		counts.Keys = append(counts.Keys, key)
	}
	slices.Sort(counts.Keys)
	for _, key := range counts.Keys {
		counts.Pages = append(counts.Pages, r.counts[key])
	}
	counted, err := q.CountSearchKeys(ctx, counts)
	if err != nil {
		return fmt.Errorf("counting keys: %w", err)
	}
	words := db.InsertSearchWordsParams{}
	slices.SortFunc(counted, func(a, b db.CountSearchKeysRow) int { return cmp.Compare(a.Key, b.Key) })
	for _, c := range counted {
		if w, ok := r.words[c.Key]; ok && c.IsNew {
			words.Keys, words.Words = append(words.Keys, c.Key), append(words.Words, w.word)
			words.Grams = append(words.Grams, literal(gramsOf(w.scope, w.word, len([]rune(w.word)))))
		}
	}
	if len(words.Keys) == 0 {
		return nil
	}
	if err := q.InsertSearchWords(ctx, words); err != nil {
		return fmt.Errorf("storing words: %w", err)
	}
	return nil
}

// Purge removes up to rowsMax expired pages, as many keys without pages and, if the operator does not share pages, as many
// that were shared before. It returns the largest of these numbers.
func (x *Index) Purge(ctx context.Context, rowsMax int32) (int, error) {
	most := int64(0)
	err := pgx.BeginFunc(ctx, x.config.Pool, func(tx pgx.Tx) error {
		q := db.New(tx)
		if err := q.LockSearchIndex(ctx); err != nil {
			return fmt.Errorf("locking the search index: %w", err)
		}
		purged, err := q.PurgeSearchPages(ctx, db.PurgeSearchPagesParams{Now: x.config.Now(), RowsMax: rowsMax})
		if err != nil {
			return fmt.Errorf("removing expired pages: %w", err)
		}
		most = purged.Pages
		if !x.config.Shared {
			unshared, err := q.UnshareSearchPages(ctx, rowsMax)
			if err != nil {
				return fmt.Errorf("removing pages that are no longer shared: %w", err)
			}
			most = max(most, unshared)
		}
		forgotten, err := q.ForgetSearchKeys(ctx, rowsMax)
		if err != nil {
			return fmt.Errorf("deleting unused keys: %w", err)
		}
		most = max(most, forgotten)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return int(most), nil
}
