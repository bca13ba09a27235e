// Package searches finds pages by a query, and has those that were found scraped if that is wanted.
//
// The idea is that a search happens once: it belongs to the identity that paid for it, is claimed before anything is asked
// or fetched, and is stored whole, links and content. Reading it asks nobody, fetches nothing and costs nothing, also when
// the web has changed meanwhile.
//
// Invariants:
//   - An identity pays for one search, and gets it again for nothing.
//   - What a search costs is what one for just the links that were scraped costs by the price book: never more than what
//     was set aside. A search that finds nobody to ask is an error and costs nothing.
//   - A link that fails, or is not there in time, is still a link: its content is null, and it costs nothing.
//   - The content of links is kept like that of any page: under retrieve ids, readable by their team, for a time. The ids
//     are written down before the first byte is stored, so that what dies half-way is deleted in the end.
//   - Whose search it is decides who reads it; all others see no difference to an id that does not exist.
//
// It imports backend/caller, fetch, metadata, page, problem and websearch, db, and payments/edgewire, money, price and token.
package searches
