// Package scrapes fetches one web page and answers with it as HTML, markdown or
// text.
//
// The idea is that a scrape belongs to the identity that paid for it: the row is
// unique on the identity's id and is claimed before anything is fetched, so one
// payment is one fetch, by however many replicas and however often a request is
// repeated. The repeats get the stored scrape and cost nothing. What failed, or
// died with its process, may be tried again under the same identity.
//
// Invariants:
//   - A target that answers is a scrape, whatever its status. Only what could not
//     be fetched or read fails, and then nothing is charged.
//   - Nothing in a request is ignored: a field that needs an engine which this
//     installation lacks is refused with what is missing (501).
//   - Whose scrape it is decides who reads it; all others see no difference to an
//     id that does not exist.
//
// Content is kept in blob storage under the scrape's retrieve_id and the attempt
// that wrote it, for a time; the row stays.
//
// It imports backend/blob, caller, extract, fetch, metadata and problem, db, and
// payments/money.
package scrapes
