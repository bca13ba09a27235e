// Package crawllong measures a crawl of a large site, and checks that its cost for each page stays the same.
package crawllong
