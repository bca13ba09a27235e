// Package scrapes fetches one web page, or has a browser render it, and answers with it as HTML, markdown,
// text, JSON, PDF or a picture.
//
// The idea is that a scrape belongs to the identity that paid for it: the row is
// unique on the identity's id and is claimed before anything is fetched, so one
// payment is one fetch, by however many replicas and however often a request is
// repeated. The repeats get the stored scrape, and no second hold pays for it. What failed, or
// died with its process, may be tried again under the same identity.
//
// What comes by a page is the [Engine]. It knows no identity, writes no row and charges nothing, so that other features
// have it come by theirs; the [Service] is scrapes around it, and the reading and deleting of what is kept of any page.
//
// Invariants:
//   - A target that answers is a scrape, whatever its status. Only what could not
//     be fetched or read fails, and then nothing is charged.
//   - Nothing in a request is ignored: a field that needs an engine which this
//     installation lacks is refused with what is missing (501).
//   - A browser that nobody asked for takes nothing away: where it fails, or shows less, the page is the one that the
//     server sent. When it is tried, decide.go says.
//   - What is read and rendered at once stays within a budget of memory (backend/memory).
//   - Content is readable from the statement on that counts its page as done: what is stored before has no row.
//   - Whose scrape it is, or whose content, decides who reads it; all others see no
//     difference to an id that does not exist.
//
// Content is kept in blob storage under its retrieve_id and the attempt that wrote
// it, for a time; the scrape's row stays. An attempt that did not finish leaves what
// it has stored to the sweep.
//
// It imports backend/blob, caller, extract, fetch, glob, jsonschema, llm, memory, metadata, page, problem, warc
// and render, db, and payments/edgewire, money, price and token.
package scrapes
