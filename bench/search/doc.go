// Command search measures how long the search over fetched pages takes with many of them: it fills an index of its own with
// pages of a Zipf corpus, asks for what half of them have and for what few have, and holds the 95th percentile to 100 ms.
//
// The one idea: what is measured is the provider as the backend has it, on the index as the backend has it; only the filling
// is done at once. How many pages a query matches is counted as the pages are made.
//
// It imports backend/websearch and local, bench/figures, db and dev/postgres.
package main
