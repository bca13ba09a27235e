package app

import (
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/answers/agent"
	"github.com/turnpike-edge/turnpike/backend/answers/reader"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/db"
)

// openAnswers creates the answers feature, which uses a searcher to find sources that it is not given.
func (b *Backend) openAnswers(cfg Config, urls *blob.Signer, pages *membudget.Budget, searcher answers.Searcher) (err error) {
	answerer, err := cfg.answerer()
	if err != nil {
		return err
	}
	b.answers, err = answers.New(answers.Config{
		Queries: db.New(b.pool), Searcher: searcher, Pages: b.scrapes.Engine(), Files: b.files, Answerer: answerer,
		Blobs: b.store, Signer: urls, Memory: pages, Places: b.share("answers", answers.PlacesDefault, placePatience),
		Logger: cfg.Logger, Now: time.Now,
	})
	return err
}

// answerer returns the configured model, with the reader that needs no model as its fallback.
func (c *Config) answerer() (answers.Answerer, error) {
	model, err := reader.Shipped()
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what is damaged
	}
	r := reader.New(model)
	if c.Model == nil {
		return r, nil
	}
	return agent.New(c.Model, r, agent.Options{}, c.Logger), nil
}
