// Package searches finds pages by a query, and scrapes them on request.
//
// A search happens once: it belongs to the identity that paid for it, is claimed before any provider or page is requested,
// and is stored completely, links and content. Reading it makes no requests and is free.
//
// Invariants:
//   - An identity pays for one search. Repeated requests with it are free.
//   - A search costs what the price book says for one with just the scraped links: never more than the hold. If no provider
//     can be asked, the search is an error and costs nothing.
//   - A link that fails or takes too long is still listed: its content is null, and it costs nothing.
//   - The content of links is kept like that of any page: under retrieve IDs, readable by their team, for a limited time.
//     The IDs are written before the first byte is stored, so that the content of an unfinished search can be deleted.
//   - Only the team of a search can read it; for others it does not exist.
package searches
