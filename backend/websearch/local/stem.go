package local

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/turnpike-edge/turnpike/db"
)

// stemsKept is how many stems a process caches.
const stemsKept = 100_000

// stems returns English stems, computed by Postgres; words with letters other than a to z are their own stem. All pages are
// stemmed alike, because a query does not say its language.
type stems struct {
	mu    sync.Mutex
	known map[string]string
}

func newStems() *stems { return &stems{known: map[string]string{}} }

// stemmer is the database interface of stems. Within a transaction it must use the same connection: if all connections are
// held by transactions that wait for a second one, all of them block.
type stemmer interface {
	EnglishStems(ctx context.Context, words []string) ([]db.EnglishStemsRow, error)
}

// of returns the stems of words, "" for stop words.
func (s *stems) of(ctx context.Context, q stemmer, words map[string]struct{}) (map[string]string, error) {
	found := make(map[string]string, len(words))
	var unknown []string
	s.mu.Lock()
	for w := range words {
		if stem, ok := s.known[w]; ok {
			found[w] = stem
		} else if !isLetters(w) {
			found[w] = w
		} else {
			unknown = append(unknown, w)
		}
	}
	s.mu.Unlock()
	if len(unknown) == 0 {
		return found, nil
	}
	rows, err := q.EnglishStems(ctx, unknown)
	if err != nil {
		return nil, fmt.Errorf("stemming words: %w", err)
	}
	learned := make(map[string]string, len(rows))
	for _, row := range rows {
		learned[row.Word] = row.Stem
	}
	maps.Copy(found, learned)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known)+len(learned) > stemsKept {
		clear(s.known)
	}
	maps.Copy(s.known, learned)
	return found, nil
}

// isLetters reports whether the English dictionary may contain a word; other words are their own stem.
func isLetters(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || 'z' < w[i] {
			return false
		}
	}
	return w != ""
}
