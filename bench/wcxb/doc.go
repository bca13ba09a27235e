// Command wcxb measures how well and how fast pages are read, and trains the model that reads them.
//
// It works on a directory in the form of the development split of WCXB, the Web Content eXtraction Benchmark (Murrough
// Foley, 2026, arXiv 2605.21097, CC-BY-4.0): pages with the text that a person takes for their content, and the metric
// that goes with them, word F1.
//
// Without -train it reads every page as a scrape with the transformer postlight does and scores the text that a caller
// gets; go-trafilatura with its fallback does the same in turns, on the same core. It writes bench/README.md and fails
// below the floors.
//
// With -train it trains the model of backend/extract/maincontent. What the figures in the README call "out of fold" comes
// from here: the sites are cut into five folds by a hash of their registrable domain, and each fold's pages are read by a
// model that has seen no page of their sites: neither its trees, nor its lexicon, nor its cuts. The shipped model is
// then trained on all pages by the same settings. The same data and settings give the same bytes.
//
// Nothing of this is imported by the product.
package main
