// Package glob says which URLs a list of globs means: of links on a page, of pages of a crawl, of a map.
//
// The idea is that a glob reads as the address bar shows URLs, and is held against URLs as fetch has them, so that no two
// spellings of one URL are treated differently. `**` is anything, `*` anything but a slash, all else is itself. A glob
// with `://` means whole URLs, one with `?` paths with their query, and any other one paths alone.
//
// Every URL of a page is held against every glob, so globs are bounded ([BytesMax], [StarsMax]) and matched in time that is
// linear in the URL.
//
// It imports backend/fetch and problem.
package glob
