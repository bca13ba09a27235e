package maps

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/sitemap"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
)

const (
	// namedMax is how many sitemaps of a robots.txt are read, sitemapsMax how many per map, sitemapLevelsMax how deep
	// nested indexes are followed. The protocol has one level; some sites have two.
	namedMax         = 100
	sitemapsMax      = 2000
	sitemapLevelsMax = 4
)

// usualPlaces are the paths tried if robots.txt names no sitemap.
var usualPlaces = []string{
	"/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/sitemap.xml.gz", "/sitemap.txt", "/sitemap/sitemap.xml", "/wp-sitemap.xml",
}

// readSitemaps reads the sitemaps that the site's robots.txt names, or else those in the usual places.
func (c *collection) readSitemaps(ctx context.Context, landed fetch.URL) {
	hosts := []fetch.URL{c.plan.url}
	if !landed.IsZero() && landed.Origin() != c.plan.url.Origin() {
		hosts = append(hosts, landed)
	}
	var named, guessed []fetch.URL
	for _, host := range hosts {
		rules, err := c.service.config.Robots.For(ctx, host)
		if err != nil {
			c.failed(err)
			continue
		}
		for _, ref := range rules.Sitemaps() {
			if u, err := host.Resolve(ref); err == nil && len(named) < namedMax && c.first(u) {
				named = append(named, u)
			}
		}
		group := rules.For(c.service.config.Agent)
		for _, place := range usualPlaces {
			if u, err := host.Resolve(place); err == nil && group.Allowed(u.String()) {
				guessed = append(guessed, u)
			}
		}
	}
	wave := slices.Concat(named, c.listed)
	if len(wave) == 0 {
		for _, u := range guessed {
			if c.first(u) {
				wave = append(wave, u)
			}
		}
	}
	c.readAll(ctx, wave)
}

// readAll reads sitemaps and the sitemaps that they list.
func (c *collection) readAll(ctx context.Context, wave []fetch.URL) {
	read := 0
	for level := 0; len(wave) > 0 && ctx.Err() == nil; level++ {
		if level > sitemapLevelsMax {
			c.truncated.Store(true)
			return
		}
		if read+len(wave) > sitemapsMax {
			wave = wave[:sitemapsMax-read]
			c.truncated.Store(true)
		}
		read += len(wave)
		var mu sync.Mutex
		var next []fetch.URL
		each(ctx, wave, func(ctx context.Context, u fetch.URL) {
			listed := c.readSitemap(ctx, u)
			mu.Lock()
			defer mu.Unlock()
			next = append(next, listed...)
		})
		wave = next
	}
}

// readSitemap reads a sitemap or feed, and returns the sitemaps that it lists and that may be read. If a sitemap fails
// midway, the entries before the fault count.
func (c *collection) readSitemap(ctx context.Context, u fetch.URL) []fetch.URL {
	if c.gatedList(ctx, u) != nil {
		return nil
	}
	response, err := c.get(ctx, u, c.gatedList)
	if err != nil {
		return nil
	}
	defer response.release()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil
	}
	listed, isSitemap := c.readEntries(ctx, response.Response)
	if !isSitemap {
		c.readFeed(ctx, response.Response)
	}
	return listed
}

// readEntries adds the URLs that a sitemap lists, and returns the sitemaps among them. It reports whether the response is a
// sitemap.
func (c *collection) readEntries(ctx context.Context, response *fetch.Response) (listed []fetch.URL, isSitemap bool) {
	body, options := bodyOf(response)
	for e, err := range sitemap.Read(ctx, bytes.NewReader(body), options) {
		switch {
		case errors.Is(err, sitemap.ErrNoSitemap):
			return listed, false
		case errors.Is(err, sitemap.ErrTooLarge), errors.Is(err, sitemap.ErrTooMany):
			c.truncated.Store(true)
			return listed, true
		case err != nil:
			return listed, true
		case e.Index:
			if c.mayList(response.URL, e.URL) && c.first(e.URL) {
				listed = append(listed, e.URL)
			}
		case !c.add(ctx, e.URL, wordsOf(&e)):
			return listed, true
		}
	}
	return listed, true
}

// bodyOf returns the body of a sitemap. Compressed files that are labeled as text are taken as received; other text is
// already UTF-8, decoded by the fetcher.
func bodyOf(response *fetch.Response) ([]byte, sitemap.Options) {
	options := sitemap.Options{Base: response.URL, UTF8: response.Charset != ""}
	if n := len(response.Exchanges); n > 0 && bytes.HasPrefix(response.Exchanges[n-1].Body, []byte{0x1f, 0x8b}) {
		options.UTF8 = false
		return response.Exchanges[n-1].Body, options
	}
	return response.Body, options
}

// mayList reports whether an index may list a sitemap: one on its own host, or anywhere on the site. Other sitemaps must be
// named in robots.txt (sitemaps.org, "Sitemaps & cross submits").
func (c *collection) mayList(index, u fetch.URL) bool {
	if u.Host() == index.Host() {
		return true
	}
	root, err := u.Resolve("/") // the sitemap's own name may have the extension of a file
	return err == nil && c.site.Place(root) == urlfilter.Internal
}

// wordsOf returns what a sitemap says about a page, for sorting by relevance.
func wordsOf(e *sitemap.Entry) string {
	var words []string
	if e.News != nil {
		words = append(words, e.News.Title, e.News.Keywords)
	}
	for _, image := range e.Images {
		if image.Title != "" {
			words = append(words, image.Title)
			break // the first image is usually about the page, the others are not
		}
	}
	return strings.Join(words, " ")
}
