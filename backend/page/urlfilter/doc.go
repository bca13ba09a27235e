// Package urlfilter decides which URLs of a site crawls and maps fetch: when two URLs are the same (Key), which URLs are in
// scope (Scope), and which lead into a crawler trap (Trapped, Shape, State). Next applies all of this to the links of a page.
//
// The package contains only rules about URLs and pages, without a database or network. Crawls and maps keep the state and
// apply the same rules. Only Seen has state: a cache of URLs known to be in a frontier, which saves database queries.
//
// Limits protect against sites that generate endless URLs, or many URLs of one page. When a limit on pages is reached, the
// pages that are in progress at that time may exceed it.
//
//	by the form of a URL
//	  its length                       2,048 bytes, 16 segments, 10 parameters
//	  one parameter                    3 times
//	  one segment but a number         2 times
//	  a pair of segments in a row      once
//	by the links that lead to it
//	  links in a row within a shape    1,000, and 50 where the shape has dates or a calendar's parameters
//	  found on one page                5,000 URLs, 1 MiB together
//	  redirects                        10; one that leads to itself or in a circle is one more failed URL
//	by what was there
//	  pages of a shape                 30, unless a fifth of them said something new
//	  pages of a path with two         30, unless a fifth of them said something new, had a new value, or led to
//	    parameters or more             anything but the same path
//	  dates and pages of a list        listed once for each that says what the one before does but for dates and numbers of
//	                                   up to 4 digits; the others are duplicates, whose links are followed
//	  session values                   3 duplicates, of 2 pages or more, that differ in one value alone, of 16 characters or
//	                                   more; then once more for each page that it leads to
//	  a page that is there, by         once for each spelling (case, www, scheme, slash, index.html) or URL that says that the
//	    another URL                    page is its canonical one; it is listed once
//	  what is not there (soft 404)     once for each link; listed never, or where it does not say so 2 of each folder and
//	                                   process; 1 request more for each of up to 16 folders, for what cannot be there
//
// The shape of a URL is the URL without its numbers, dates, tokens and parameter values. Two pages are the same if their
// text, title and pictures are the same, or if the Simhashes of their texts differ in at most 12 of 64 bits and their URLs
// are kin, that is, differ only in what most sites ignore. Kin URLs alone, or nearly the same text alone, prove nothing.
package urlfilter
