package local

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/turnpike-edge/turnpike/db"
)

// stemsKept is how many stems a process remembers.
const stemsKept = 100_000

// stems are those of English, which Postgres knows; of words with other letters than a to z the word itself. All pages are
// stemmed alike, whatever their language, since a query does not say which it is in.
type stems struct {
	mu    sync.Mutex
	known map[string]string
}

func newStems() *stems { return &stems{known: map[string]string{}} }

// stemmer is what stems ask of the database. Within a transaction it is to be that one: who holds a connection and waits for
// another waits in vain where all others do so, too.
type stemmer interface {
	EnglishStems(ctx context.Context, words []string) ([]db.EnglishStemsRow, error)
}

// of returns the stems of words, "" for those that say nothing.
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

// isLetters reports whether the dictionary of English can have a word: what it does not know it leaves as it is.
func isLetters(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || 'z' < w[i] {
			return false
		}
	}
	return w != ""
}
