// Package glob matches URLs against lists of globs: the links on a page, the pages of a crawl or a map.
//
// Globs are written as the address bar shows URLs, and match URLs in the form of package fetch, so that all spellings
// of a URL are treated alike. `**` is anything, `*` anything but a slash, all else is itself. A glob with `://` matches
// whole URLs, one with `?` paths with their query, and any other one paths alone.
//
// Each URL is matched against every glob, so globs are bounded ([BytesMax], [StarsMax]) and match in time linear in the URL.
package glob
