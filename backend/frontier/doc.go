// Package frontier says which URLs of a site are to be fetched, for crawls and maps: what makes two URLs the same (Key),
// which of them are in the scope that was asked for (Scope), and which lead into a trap (Trapped, Shape, State). Next puts
// it together for the links of a page.
//
// The idea is that these are rules over URLs and what was seen of pages, without a database or network: who keeps the
// state of a crawl asks them, and so every crawl and map decides alike. Seen alone has a state: what is known to be in
// frontiers, so that the database need not be asked for it.
//
// Sites that make URLs without end, or many of one page, are met with limits. Where a limit is of pages, as many more may
// be asked for as are under way when it is reached.
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
// The shape of a URL is what is left without its numbers, dates, tokens and the values of its parameters. Pages are the same
// where their text, title and pictures are, or where the Simhashes of their texts differ in 12 bits of 64 at most and their
// URLs are kin: what they differ in most sites do not look at. That alone, or a text that is nearly the same alone, proves
// nothing.
//
// It imports backend/fetch, glob and page.
package frontier
