// Package maps lists the URLs of a site, from its sitemaps, feeds and links.
//
// A map is made while the client waits. It is then stored as a row, with its URLs in blob storage, sorted and without
// duplicates. So its pages follow each other without gaps, whenever they are requested.
//
// Invariants:
//   - URLs that do not fit the time or memory limit are left out, and the map says that it is truncated. A site that cannot
//     be reached gives no map, and costs nothing.
//   - An identity pays for one response. Repeated requests with it are free.
//   - A page is fetched only if robots.txt allows it; a sitemap that robots.txt names may always be fetched.
//   - Memory for a map is reserved from the budget before it is used.
//   - Blobs are written after a row that names them, so that Purge deletes those of an unfinished map.
package maps
