// Command wcxb measures how well and how fast the main content of pages is extracted, and trains the model for it.
//
// It works on a directory in the form of the development split of WCXB, the Web Content eXtraction Benchmark (Murrough
// Foley, 2026, arXiv 2605.21097, CC-BY-4.0): pages with the text that a person considers their content, and the
// benchmark's metric, word F1.
//
// Without -train it reads every page as a scrape with the transformer postlight does and scores the text that a client
// gets; go-trafilatura with its fallback does the same in turns, on the same core. It writes bench/README.md and fails
// below the floors.
//
// With -train it trains the model of backend/page/extract/maincontent. The figures "out of fold" in the README come from here:
// the sites are divided into five folds by a hash of their registrable domain, and each fold's pages are read by a model
// that has seen no page of their sites, neither in its trees, nor in its lexicon, nor in its cuts. The shipped model is
// then trained on all pages with the same settings. The same data and settings give the same bytes.
//
// The product imports nothing of this.
package main
