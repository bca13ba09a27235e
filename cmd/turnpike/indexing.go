package main

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

// searchSharedName is where it is read from whether teams find what others have fetched.
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

// isPublic reports whether all that is fetched is on the public internet.
func (c *backendConfig) isPublic() bool {
	return len(c.fetch.AllowPrivate) == 0 && c.fetch.Archive == nil
}

// openSearch makes what has pages found by words.
func (b *backend) openSearch(cfg backendConfig) (err error) {
	shared := cfg.searchShared && cfg.isPublic()
	if cfg.searchShared && !shared {
		cfg.logger.Warn("pages are not shared in search: this backend may fetch what is not public", "setting", searchSharedName)
	}
	b.index, err = local.NewIndex(local.IndexConfig{
		Pool: b.pool, Contents: contentsOf{b.scrapes.Engine()}, Shared: shared, Logger: cfg.logger, Now: time.Now,
	})
	if err != nil {
		return err
	}
	b.found, err = local.New(local.Config{Pool: b.pool, Shared: shared, Now: time.Now})
	return err
}

// contentsOf reads kept pages for the index.
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

// publishedOf reads the time that a page says, or zero.
func publishedOf(text string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
