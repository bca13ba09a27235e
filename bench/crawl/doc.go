// Command crawl measures what a crawl costs: the product crawls a site of this machine, and so does colly, and what counts
// is pages per second of processor time, in the median of rounds in which all sides take turns.
//
// There are two pairs. Links alone: colly with its in-memory storage, against crawls with no formats, whose frontier is
// in Postgres. Whole pages: colly with html-to-markdown, which stores nothing, against crawls as they are by default, which
// read robots.txt, find duplicates, extract, store HTML and markdown, write rows and charge credits. colly has the
// parallelism at which it was found to need the least of the processor.
//
// What counts for colly is the process alone; for the product its backend, its edge and Postgres with all its processes.
// The site has a process of its own, which counts for nobody, and counts how often each page is asked for. The product
// must ask for each page once, and charge for each once, or there is no result.
//
// It is a module of its own so that what is compared with stays out of the product's. It needs Linux (/proc).
package main
