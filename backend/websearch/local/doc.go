// Package local is the search provider that needs no key: it finds pages that this installation has fetched itself.
//
// A search never looks at every matching page. Each term of a page is a key in an array column with a GIN index. Each
// impact level that the term reaches on the page is a key, too; the impact is its BM25F score without the term's rarity. A
// term that is on half of all pages reaches the upper levels on few of them. So a search queries conjunctions of keys that
// few pages have, the best first, and scores the results: some thousand pages at most, whatever the size of the index.
//
//	page    what is known of a page, and the entry that is made of it: keys, impacts, text
//	key     the hashes that pages are found by
//	index   takes what was queued with the content, reads and indexes it, and removes what is over
//	plan    the conjunctions that are asked for, by how many pages have each key
//	search  asks, scores, looks at the text of the best, and says what stands there
//
// Invariants:
//   - A page is in the scope of its team and, if it may be shared and the operator shares pages, in the scope of all teams.
//     The scope is hashed into every key and checked again in every statement: a team finds no page of another's scope.
//   - Whether a page may be shared is decided when it is fetched (by scrapes); pages that are not known to be public are
//     not shared. A page with a query in its URL is never shared.
//   - A page whose content has expired is not found from that moment on, and is removed with the next purge.
//   - The same query over the same pages gives the same results in the same order.
//   - A scope contains one page per URL: a newly fetched page replaces the old one.
package local
