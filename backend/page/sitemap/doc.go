// Package sitemap reads sitemaps (sitemaps.org protocol 0.9): lists of URLs and indexes of lists, as XML or text,
// compressed or not, with the extensions for news and images.
//
// A sitemap is untrusted input and is read as a stream: entries are returned as they are read, within limits on bytes,
// entries and depth. Entries before a fault count.
package sitemap
