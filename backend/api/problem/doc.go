// Package problem defines all errors that clients of the web data API can get, each with its HTTP status, error code and title.
//
// A feature returns an [*Error] with a [Code]; this package defines what the code means in HTTP, and backend/api writes the
// response. Detail and Metadata are for the client, the wrapped error is for operators; neither is copied into the other.
//
// It imports Huma, for the schema of what it writes, and of ours only db/outage: so a database outage is not an
// internal error, and features need not know about it.
package problem
