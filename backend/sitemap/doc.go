// Package sitemap reads sitemaps (sitemaps.org protocol 0.9): lists of URLs and indexes of lists, as XML or text,
// compressed or not, with the namespaces for news and images.
//
// The idea is that a sitemap is a stream from a stranger: entries are given out as they are read, within bounds of bytes,
// entries and depth, and what was read before a fault counts.
//
// It imports backend/fetch, for its URLs, and fetches nothing itself.
package sitemap
