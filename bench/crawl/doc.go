// Command crawl measures what a crawl costs: the product and colly crawl the same local site, and the result is pages per
// second of CPU time, as the median of rounds in which all sides take turns.
//
// There are two pairs. Links only: colly with its in-memory storage, against crawls without formats, whose crawl frontier
// is in Postgres. Whole pages: colly with html-to-markdown, which stores nothing, against crawls with default settings,
// which read robots.txt, find duplicates, extract, store HTML and markdown, write rows and charge credits. colly runs
// with the parallelism at which it was found to need the least CPU.
//
// For colly, the CPU time of its process counts; for the product, that of its backend, its edge and all of Postgres. The
// site has its own process, which does not count, and records how often each page is requested. The product must request
// each page once, and charge for each once, or there is no result.
//
// It is a module of its own to keep colly out of the product's dependencies. It needs Linux (/proc).
package main
