package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/websearch/local"
)

// searchSharedName is the variable that says whether teams find pages that other teams have fetched.
const searchSharedName = "TURNPIKE_SEARCH_SHARED"

func searchSharedFromEnv() (bool, error) {
	text := os.Getenv(searchSharedName)
	if text == "" {
		return false, nil
	}
	shared, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%s is %q: want true or false", searchSharedName, text)
	}
	return shared, nil
}

// isPublic reports whether all fetched pages are on the public internet.
func (c *Config) isPublic() bool {
	return len(c.Fetch.AllowPrivate) == 0 && c.Fetch.Archive == nil
}

// openSearch creates the search index and the provider that searches it.
func (b *Backend) openSearch(cfg Config) (err error) {
	shared := cfg.SearchShared && cfg.isPublic()
	if cfg.SearchShared && !shared {
		cfg.Logger.Warn("pages are not shared in search: this backend can fetch pages that are not public", "setting", searchSharedName)
	}
	b.index, err = local.NewIndex(local.IndexConfig{
		Pool: b.pool, Contents: contentsOf{b.scrapes.Engine()}, Shared: shared, Logger: cfg.Logger, Now: time.Now,
	})
	if err != nil {
		return err
	}
	b.found, err = local.New(local.Config{Pool: b.pool, Shared: shared, Now: time.Now})
	return err
}

// contentsOf reads stored pages for the index.
type contentsOf struct{ engine *scrapes.Engine }

// Searchable implements local.Contents.
func (c contentsOf) Searchable(ctx context.Context, retrieveID string, outcome json.RawMessage) (local.Page, bool, error) {
	kept, ok, err := c.engine.Searchable(ctx, retrieveID, outcome)
	if err != nil || !ok {
		return local.Page{}, false, err
	}
	p := local.Page{URL: kept.URL, Title: kept.Title, Text: kept.Text, Published: publishedOf(kept.PublishedAt), Shareable: kept.Shareable}
	if kept.Markdown != "" {
		p.Text, p.Headings = local.Plain(kept.Markdown)
	}
	return p, true, nil
}

// publishedOf parses the time given by a page; zero if it is not valid.
func publishedOf(text string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
