package app

import (
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/answers/agent"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/db"
)

// openAnswers creates the answers feature, which uses a searcher to find sources that it is not given.
func (b *Backend) openAnswers(cfg Config, urls *blob.Signer, pages *membudget.Budget, searcher answers.Searcher) (err error) {
	// Without a model, and as the fallback of one.
	var answerer answers.Answerer = b.reader
	if cfg.Model != nil {
		answerer = agent.New(cfg.Model, b.reader, agent.Options{}, cfg.Logger)
	}
	b.answers, err = answers.New(answers.Config{
		Queries: db.New(b.pool), Searcher: searcher, Pages: b.scrapes.Engine(), Files: b.files, Answerer: answerer,
		Blobs: b.store, Signer: urls, Memory: pages, Places: b.share("answers", answers.PlacesDefault, placePatience),
		Logger: cfg.Logger, Now: time.Now,
	})
	return err
}
