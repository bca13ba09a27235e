package maps

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
)

const (
	// walkPagesMax is how many pages are read for their links besides the first page, one level below it.
	walkPagesMax = 200
	// headBytesMax is how many bytes of a page are searched for its feeds.
	headBytesMax = 256 << 10
	feedsMax     = 10
)

// usualFeeds are the paths tried if no page names a feed.
var usualFeeds = []string{"/feed", "/rss.xml", "/atom.xml"}

// readStart processes the first page, and returns the feeds that it names and the pages that it links to.
func (c *collection) readStart(ctx context.Context, start *fetch.Response) (feeds, links []fetch.URL) {
	if start.StatusCode < 200 || start.StatusCode > 299 {
		return nil, nil
	}
	if !isPage(start) {
		c.first(start.URL)
		listed, isSitemap := c.readEntries(ctx, start)
		if isSitemap {
			c.listed = listed
			return nil, nil
		}
		if c.readFeed(ctx, start) {
			return nil, nil
		}
	}
	c.add(ctx, start.URL, "")
	h := headOf(start)
	links = c.readLinks(ctx, start)
	if h.noFollow || noFollow(start) {
		links = nil
	}
	return h.feeds, links
}

// readFeeds reads the feeds that the first page names, or else those in the usual places.
func (c *collection) readFeeds(ctx context.Context, landed fetch.URL, feeds []fetch.URL) {
	if c.list.count() >= enoughURLs {
		return
	}
	if len(feeds) == 0 && !landed.IsZero() {
		for _, place := range usualFeeds {
			if u, err := landed.Resolve(place); err == nil {
				feeds = append(feeds, u)
			}
		}
	}
	feeds = slices.DeleteFunc(feeds, func(u fetch.URL) bool { return !c.first(u) })
	each(ctx, feeds, func(ctx context.Context, u fetch.URL) {
		if c.allowedList(ctx, u) != nil {
			return
		}
		response, err := c.get(ctx, u, c.allowedList)
		if err != nil {
			return
		}
		defer response.release()
		if response.StatusCode < 300 {
			c.readFeed(ctx, response.Response)
		}
	})
}

// walk reads the pages that the first page links to, for their links.
func (c *collection) walk(ctx context.Context, links []fetch.URL) {
	if len(links) > walkPagesMax {
		links = links[:walkPagesMax]
		c.truncated.Store(true)
	}
	each(ctx, links, func(ctx context.Context, u fetch.URL) {
		if c.list.count() >= enoughURLs || c.allowed(ctx, u) != nil {
			return
		}
		response, err := c.get(ctx, u, c.follow)
		if err != nil {
			return
		}
		defer response.release()
		if response.StatusCode < 300 && isPage(response.Response) {
			c.readLinks(ctx, response.Response)
		}
	})
}

// follow is called before each redirect of walk, which stays on the site.
func (c *collection) follow(ctx context.Context, u fetch.URL) error {
	if c.site.Place(u) != urlfilter.Internal {
		return errDisallowed
	}
	return c.allowed(ctx, u)
}

// isPage reports whether a response is HTML.
func isPage(response *fetch.Response) bool {
	return response.MediaType == "text/html" || response.MediaType == "application/xhtml+xml"
}

func noFollow(response *fetch.Response) bool {
	return slices.ContainsFunc(response.Header.Values("X-Robots-Tag"), saysNoFollow)
}

func saysNoFollow(value string) bool {
	value = strings.ToLower(value)
	return strings.Contains(value, "nofollow") || strings.Contains(value, "none")
}

// readLinks adds the links of a page, and returns the pages of the site among them that have not been fetched.
func (c *collection) readLinks(ctx context.Context, response *fetch.Response) []fetch.URL {
	document := c.document(ctx, response)
	if document == nil {
		return nil
	}
	var links []fetch.URL
	for i := range document.Links {
		l := &document.Links[i]
		u, err := fetch.ParseURL(l.URL)
		if err != nil || c.site.Place(u) != urlfilter.Internal || urlfilter.Trapped(u) != "" {
			continue
		}
		if !c.add(ctx, u, l.Text) {
			break
		}
		u, _ = urlfilter.Key(u)
		if c.first(u) {
			links = append(links, u)
		}
	}
	return links
}

// readFeed adds the entries of a feed, and reports whether the response is one.
func (c *collection) readFeed(ctx context.Context, response *fetch.Response) bool {
	document := c.document(ctx, response)
	if document == nil || document.Feed == nil {
		return false
	}
	for i := range document.Feed.Entries {
		e := &document.Feed.Entries[i]
		if u, err := response.URL.Resolve(e.URL); err == nil && e.URL != "" && !c.add(ctx, u, e.Title) {
			break
		}
	}
	return true
}

// document parses a page or feed within the memory budget; nil if that fails.
func (c *collection) document(ctx context.Context, response *fetch.Response) *extract.Document {
	source := extract.Source{URL: response.URL.String(), MediaType: response.MediaType, Header: response.Header, Body: response.Body}
	document, err := membudget.Do(ctx, c.service.config.Memory, membudget.ReadBytes(source.MediaType, source.Body), func() (*extract.Document, error) {
		return extract.Read(ctx, source, extract.Options{RemoveSelectors: []string{}})
	})
	if err != nil {
		return nil
	}
	return document
}

// head is what the head of a page says about the site.
type head struct {
	feeds    []fetch.URL
	noFollow bool
}

// headOf reads a page's head: its feeds (HTML standard 4.6.7.1, alternate), and whether its links may be followed.
func headOf(response *fetch.Response) head {
	var h head
	tokens := html.NewTokenizer(bytes.NewReader(response.Body[:min(len(response.Body), headBytesMax)]))
	tokens.SetMaxBuf(headBytesMax)
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return h
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			switch token.Data {
			case "body":
				return h
			case "meta":
				if strings.EqualFold(attribute(&token, "name"), "robots") && saysNoFollow(attribute(&token, "content")) {
					h.noFollow = true
				}
			case "link":
				if u, ok := feedOf(&token, response.URL); ok && len(h.feeds) < feedsMax {
					h.feeds = append(h.feeds, u)
				}
			}
		case html.TextToken, html.EndTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

func feedOf(token *html.Token, base fetch.URL) (fetch.URL, bool) {
	kind, _, _ := strings.Cut(strings.ToLower(attribute(token, "type")), ";")
	isFeed := slices.Contains([]string{"application/rss+xml", "application/atom+xml", "application/feed+json"}, strings.TrimSpace(kind))
	isAlternate := slices.Contains(strings.Fields(strings.ToLower(attribute(token, "rel"))), "alternate")
	if !isFeed || !isAlternate || attribute(token, "href") == "" {
		return fetch.URL{}, false
	}
	u, err := base.Resolve(attribute(token, "href"))
	return u, err == nil
}

func attribute(token *html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
