// Package page holds the types that scrapes, batches and crawls share about one web page: its options, the job of fetching
// it, and the kept result.
//
// Each field that describes a page has one type, and so the same JSON, schema and rules in every feature. scrapes.Engine
// does the work and defines what the fields mean and how they may be combined.
//
// The package is only data, except for one callback of a job, and imports only backend/api/problem.
package page
