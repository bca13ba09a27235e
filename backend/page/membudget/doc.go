// Package membudget is the memory budget for pages: it bounds how much memory fetching, rendering and reading pages takes
// in this process. They all share one Budget, and work that does not fit waits.
//
// A Budget has two parts. Work is the estimated memory for reading a page, taken for that time. A Hold is the memory
// that a request has in hand from the arrival of its page to its response: the body and the results. Nobody waits for a
// hold while working, so holders can always go on to work, and work always ends.
//
// Work with a large estimate also keeps a CPU busy for long, and runs [Aside].
package membudget
