// Package crawls fetches the pages of a site, starting from one URL, and lists the result for each page.
//
// A crawl is a row with URLs that are found while it runs. Every transaction that finishes pages of it locks that row and
// does the rest as well: the pages' places in the list, their content, charge and links, and the next URLs that get a task.
// So a crashed worker loses only the page it was fetching, and no page is listed or charged twice.
//
//	Create   row, start URL with its task, deadline, the answer for repetitions, and last the request's hold adopted
//	Run      fetches one page in a slot of the queue, and chooses among its links
//	Finish   ends URLs, writes what they lead to, opens the next ones; the last one ends the crawl
//	Cancel, deadline: the same lock, the same end
//
// A URL waits, then is open while it has a task, and then ends in one of these states: done (a page, counted and charged),
// failed (listed), duplicate, or skipped. A URL is a duplicate if its content or its redirect target is already a page, or if
// it differs from a page only in insignificant ways (duplicates.go). To recognize soft 404s, the crawl requests URLs that
// cannot exist (missing.go). URL shapes that bring nothing new are closed (shapes.go); package urlfilter sets the limits.
//
// Invariants:
//   - Done pages plus open URLs never exceed max_pages: a URL gets a task only if a place is free. A failed or duplicate
//     URL frees its place.
//   - A URL is in a crawl once, by the key that package urlfilter gives it, and a content is a page once.
//   - credits of a crawl = pages × unit_credits = what its hold captured.
//   - The database cost of a batch does not depend on the size of the frontier: hosts count their waiting and open URLs,
//     and no statement looks at more URLs than it may open, of a few hosts (TestFrontierCostsTheSame,
//     TestManyHostsCostTheSame).
//   - Hosts take turns, each at its own pace: a URL is opened when its host is due, up to the host's limit of open URLs. A
//     host with a long block holds no places, and nothing waits for it while anything else can be done.
//   - A duplicate always refers to a page that is done, never to one that may still fail.
//   - The cache of known links is updated only after the commit.
//   - Locks are taken in one order: crawl, lane, task, host, URL, shape, Idempotency-Key, hold, account. Only the holder of
//     the crawl's lock locks hosts, URLs and shapes; a batch may lock lane and tasks again, because it already holds them.
//
// It declares interfaces for what it needs of other features: [Pages], [Robots], [Webhooks].
package crawls
