package app

import (
	"os"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// openSearches creates searches, which query the configured providers. local searches the pages that were fetched here.
func (b *Backend) openSearches(cfg Config, urls *blob.Signer, book *price.Book, local websearch.Provider) (err error) {
	b.searcher, err = websearch.New(cfg.Searching, local, websearch.Options{Log: cfg.Logger, Registerer: b.registry, Now: time.Now})
	if err != nil {
		return err
	}
	b.searches, err = searches.New(searches.Config{
		Queries: db.New(b.pool), Pages: b.scrapes.Engine(), Contents: b.scrapes, Blobs: b.store, Signer: urls, Book: book,
		Searcher: b.searcher, Places: b.share("searches", searches.PlacesDefault, placePatience),
		Scrapes: b.share("search_links", searches.ScrapesDefault, placePatience), Logger: cfg.Logger, Now: time.Now,
	})
	return err
}

// examineSearch reports the search providers; it never prints a key.
func examineSearch() Finding {
	const name = "Search providers"
	cfg, err := websearch.FromEnv(os.Getenv)
	if err != nil {
		return Finding{name, false, strings.ReplaceAll(err.Error(), "\n", "; ")}
	}
	return Finding{name, true, strings.Join(cfg.Providers(), ", ")}
}
