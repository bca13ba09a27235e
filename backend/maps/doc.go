// Package maps lists the URLs of a site, from its sitemaps, feeds and links.
//
// The idea is that a map is made while somebody waits, and is a row with its URLs in blob storage when it is there: it is
// ordered and free of repetitions once and for all, so that its pages follow each other without gaps, however late they
// are asked for.
//
// Invariants:
//   - What time, or room, did not allow is left out, and the map says that it is truncated. A site that cannot be reached
//     is no map, and costs nothing.
//   - An identity pays for one answer, and gets it again for nothing.
//   - A page is looked at only where robots.txt allows it; a sitemap that robots.txt names may always be.
//   - What a map holds in memory is taken from the budget before it begins.
//   - Blobs are written after a row that names them, so that what dies half-way is deleted in the end.
//
// It imports backend/body, caller, extract, fetch, frontier, glob, memory, problem and sitemap, db, and payments/edgewire,
// money, price and token.
package maps
