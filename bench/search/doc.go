// Command search measures how long the search over fetched pages takes with many of them. It fills its own index with
// pages of a Zipf corpus, searches for frequent and rare words, and limits the 95th percentile to 100 ms.
//
// It measures the backend's own provider and index; only the filling is done in bulk. The number of pages that match a
// query is counted as the pages are generated.
package main
