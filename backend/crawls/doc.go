// Package crawls fetches the pages of a site, from one URL on, and shows what came of each.
//
// The idea is that a crawl is a row with URLs that are found while it runs, and whoever ends pages of it does so under
// that row's lock, in one transaction with what follows: their places in the list, what is kept of them, what they cost,
// the URLs that they lead to, and the next URLs that get a task. So a worker's crash loses nothing but what it had in
// hand, and no page is listed or paid twice.
//
//	Create   row, start URL with its task, deadline, the answer for repetitions, and last the request's hold adopted
//	Run      fetches one page in a slot of the queue, and chooses among its links
//	Finish   ends URLs, writes what they lead to, opens the next ones; the last one ends the crawl
//	Cancel, deadline: the same lock, the same end
//
// A URL waits, is open while it has a task, and ends: done, which is a page, counted and paid; failed, which is listed;
// duplicate, where its content or the URL that it redirects to is a page already, or one that differs in nothing that
// counts (duplicates.go); or skipped. What sites show for what is not there is found out by asking for what cannot be
// (missing.go), and shapes of URLs that say nothing new are closed (shapes.go); which limits these have says package
// frontier.
//
// Invariants:
//   - Pages that are done and URLs that are open are never more than max_pages: a URL gets a task only where there is a
//     place for it. What fails, or is there already, frees its place.
//   - A URL is in a crawl once, by the key that package frontier gives it, and a content is a page once.
//   - credits of a crawl = pages × unit_credits = what its hold captured.
//   - What a flight asks of the frontier costs the same however much is in it: hosts count what waits and what is open of
//     theirs, and no statement looks at more URLs than it may open of a few hosts (TestFrontierCostsTheSame,
//     TestManyHostsCostTheSame).
//   - Hosts take turns, at the pace of each: a URL is opened when its host is due, and no more of one than it may have open.
//     A host that is left alone for long holds no places, and nothing waits for it while there is anything else to do.
//   - What is a duplicate is one of a page that is done, never of one that may still fail.
//   - Links are remembered as known only when they have been committed.
//   - Locks are taken in one order: crawl, lane, task, host, URL, shape, Idempotency-Key, hold, account. Hosts, URLs and
//     shapes are locked by whoever has the crawl alone; a flight comes back to lane and tasks, which it has.
//
// It imports backend/body, caller, fetch, frontier, funding, glob, jobs, metadata, outbox, page, paging and problem, db, and
// payments/credits, edgewire, money, price and token. What it needs of other features it declares: [Pages], [Robots], [Webhooks].
package crawls
