// Package local finds pages among those that this installation has fetched itself: the search provider that needs no key.
//
// The idea is that a search never looks at every page that matches. Each term of a page is a key in one array with a GIN
// index, and so is each level that the term's impact on the page reaches, where the impact is what BM25F would score it
// with, short of the term's rarity. A term that is on half of all pages is on few at its upper levels, so a search asks for
// conjunctions of keys that few pages have, the best of them first, and scores what comes of that: some thousand pages at
// most, however many there are.
//
//	page    what is known of a page, and the entry that is made of it: keys, impacts, text
//	key     the hashes that pages are found by
//	index   takes what was queued with the content, reads and indexes it, and removes what is over
//	plan    the conjunctions that are asked for, by how many pages have each key
//	search  asks, scores, looks at the text of the best, and says what stands there
//
// Invariants:
//   - A page is in the scope of the team that fetched it, and in that of all where it may be shared and the operator shares.
//     The scope is hashed into every key, and is held again in every statement: a team finds no page of another's scope.
//   - Whether a page may be shared is settled when it is fetched, by whoever knows how (scrapes); what is not known to be
//     public is not. Nothing with a query in its URL is shared, whatever was settled.
//   - A page whose content is over is not found from that moment on, and is removed with the next purge.
//   - The same query over the same pages gives the same results in the same order.
//   - A scope has a page once for each URL: what is fetched anew replaces it.
//
// It imports backend/websearch and db.
package local
