// Package scrapes fetches one web page, or renders it in a browser, and returns it as HTML, markdown, text, JSON, PDF
// or a screenshot.
//
// A scrape belongs to the identity that paid for it. Its row is unique on the identity's id and is claimed before anything
// is fetched. So one payment is one fetch, regardless of the number of replicas and retries: retries get the stored scrape,
// and no second hold pays for it. A scrape that failed or died with its process may be tried again under the same identity.
//
// The [Engine] fetches pages. It knows no identity, writes no row and charges nothing, so other features use it for
// their pages. The [Service] is scrapes around it, and reads and deletes the stored content of any page.
//
// Invariants:
//   - A response of the target is a scrape, whatever its status. Only pages that cannot be fetched or read fail, and
//     then nothing is charged.
//   - A page is fetched for each scrape, unless the request accepts a copy (max_age): the stored content of an earlier scrape
//     by the same team, with the same URL and options. Copies are not copied, so an age counts from the fetch.
//   - Nothing in a request is ignored: a field that needs a missing engine is refused with the name of that engine (501).
//   - A browser that the request did not ask for never makes the result worse: if it fails, or shows less, the server's
//     page is the result. Package shell says which pages may need one.
//   - All pages that are read and rendered at once stay within a memory budget (backend/page/membudget).
//   - Content is readable from the statement that marks its page as done: content stored before that has no row.
//   - The owner of a scrape or content decides who reads it; to all others it looks like an id that does not exist.
//
// Content is kept in blob storage for a time, under its retrieve_id and the attempt that wrote it; the scrape's row
// stays. Content of unfinished attempts is deleted by Purge.
package scrapes
