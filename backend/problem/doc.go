// Package problem is the closed set of things that can go wrong for a caller of
// the web data service, and the one place where each has its HTTP status, its
// wire code and its title.
//
// A feature returns an [*Error] with a [Code]; what it means in HTTP is looked up
// here and written out by backend/httpapi. Detail and Metadata are for the
// caller, the wrapped error is for operators: the one is never put into the
// other.
//
// It imports Huma, for the schema of what it writes, and of ours only db/outage:
// a database that is away is no internal error, and no feature has to know.
package problem
