// Package changesite is a site that changes: pages of many types, each with edits that are planned and noise that is not, to prove
// that a monitor sees the first and not the second.
//
// The idea is that a page is a function of the run: what was edited is what its text says since a run, all else is drawn,
// either anew for each answer (Run.Rand) or once for a run (Run.Calm), so that a second look sees what a server would show it.
// Runs are a day apart, but where a site says otherwise (Site.Every).
//
// Thirteen sites are built on it, which share no layout and few words: devset, which change detection was worked
// on with from the start, heldout, which was written after it worked there, blind, written after heldout had been learned
// from, and fresh, unmet, sealed, market, parish, terrace, quarter, wharf, lantern and orchard, written by others after that. As the first were met for the first time:
//
//	heldout  precision 0.35, recall 1.00; with output_schema 1.00 and 1.00
//	blind    precision 0.38, recall 1.00; with output_schema 1.00 and 1.00
//	fresh    precision 0.30, recall 0.87; with output_schema 1.00 and 0.95 (three draws: 0.297, 0.302, 0.297; 0.870, 0.870, 0.859)
//
// The first two were met before there were further looks, with noise that is drawn for each answer alone. Looks tell that kind by
// themselves: with all that knows noise by what it looks like taken out, the first three sites still have a precision of 0.97 to 1.00,
// and a recall of 1.00.
// What was told wrongly of fresh was of the other kind, noise of a run, that no look can show: dates that go with the day, counts
// that creep, the weather; and edits were missed that stood in what was taken whole for a trial, an advert of sales, or a notice of
// maintenance. What the sites showed was then made good, in general terms, so that none of them is unseen any more.
//
// Then unmet was met, of ten makers that share nothing:
//
//	unmet    precision 0.49, recall 0.89; with output_schema 1.00 and 1.00 (three draws: 0.488, 0.519, 0.483; 0.894 in each)
//
// All five edits of one page were missed, whose body has a class that ends in "nav": all of it was taken for a menu. What is around
// the content is now no part beside it, whatever its classes say, and a version that stands by itself in a menu is told. Told wrongly
// was a strip with the date, the weather and a saying, which is now noise as a whole, as is a lone text that is another three runs in
// a row. The rest were dates that go with the day: the site has two runs a day, and was read as if they were a day apart. With its own
// times an edited link proved missed, which had been counted as told for the sake of such a date; parameters that vary do not hide it
// any more. So unmet is no longer unseen either: its precision is now 0.979 to 1.00, its recall 1.00.
//
// Then sealed, by another author still:
//
//	sealed   precision 0.58, recall 0.98; with output_schema 1.00 and 1.00 (three draws: 0.620, 0.558, 0.573; 1.000, 0.977, 0.977)
//
// All false alarms were of one block of one page, a notice board's, laid out with tables and line breaks: a picture from the archive and
// an entry of the guest book, drawn for each answer, and between them a saying that is another in each run. Line breaks now part a text
// as they do for readers, and what is "of the day" is noise by its name. The edits that were missed stood after an advert, which was
// taken for the heading of what follows it, and in an element whose id, drawn at random, ended in "ad".
//
// At last market, of shops, rentals, tariffs and timetables, was met once, after small pages of everyday noise and of small edits
// had been worked through in the tests of compare:
//
//	market   precision 0.79, recall 0.94; with output_schema 1.00 and 1.00 (three draws: 0.821, 0.780, 0.780; 0.939 in each)
//
// Told wrongly were a poll whose shares are others in each run, and how many found a page helpful, in German and French. All three
// missed edits were of one page, whose table of prices is the arm of a trial, or whose card says its state before the first
// colon. All of it was then made good in general terms, so that no site was unseen any more, and all seven had
// a precision of 1.00, and a recall of 1.00 but for fresh, with 0.989: an address in its footer, which is missed still.
//
// Then parish and terrace were met, by two authors who had not read compare:
//
//	parish   precision 0.50, recall 1.00; with output_schema 1.00 and 1.00 (three draws: 0.490, 0.495, 0.505; 1.000 in each)
//	terrace  precision 0.44, recall 1.00; with output_schema 1.00 and 1.00 (three draws: 0.446, 0.439, 0.439; 1.000 in each)
//
// Nothing was missed. All false alarms were noise of a run in one block or two of a page: the weather in words that were not known,
// a row with the date and the time, a tip in a row, an id in a link, counts of searches. Since then it is learned of each place how often
// it differs: with that alone, and no new words, the same draws have a precision of 0.860, 0.803 and 0.860 for parish and of 0.980 for terrace.
// Words, and ids in links, were made good after that.
//
// Then quarter was met, by another author:
//
//	quarter  precision 0.91, recall 0.98; with output_schema 1.00 and 1.00 (three draws: 0.887, 0.922, 0.922; 0.979 in each)
//
// The false alarms were counts that rose in the first runs, of who likes a page or was helped by it, and the days from today to a deadline;
// these also hid the one edit that was missed, of that deadline. All of it was made good.
//
// Then wharf and lantern were met, by two more authors:
//
//	wharf    precision 0.98, recall 0.88; with output_schema 1.00 and 1.00 (three draws: 1.000, 0.953, 1.000; 0.870, 0.891, 0.891)
//	lantern  precision 0.99, recall 1.00; with output_schema 1.00 and 1.00 (three draws: 0.980, 1.000, 1.000; 1.000 in each)
//
// Of wharf's edits three were of the price and the state in an aside with a button, one of what may be chosen, after a line that was taken for the heading
// of what rotates, one of an item in a list by its role alone, which was read as one block, and one of an item with a number in hexadecimal in its class. All of
// that was made good. On lantern the goals were reached at first sight, and nothing was made good for it.
//
// At last orchard was met, by another author still, and the goals were reached again at first sight:
//
//	orchard  precision 1.00, recall 0.98; with output_schema 1.00 and 1.00 (three draws: 1.000 in each; 0.980 in each)
//
// lantern and orchard are the unseen ones: nothing was made good for them. All thirteen sites are held to the goals: in three draws twelve have a precision
// of 1.00, and lantern of 0.980, 1.00 and 1.00; the recall is 1.00 but for fresh, with 0.989, and orchard, with 0.980.
//
// Data is what is true of a page, and not what was extracted of it: with output_schema the comparison of fields is held to the
// sites, and not the extraction, which is a model's or the parsers' and has tests of its own.
//
// Invariants:
//
//   - The same site, page, run, look and seed give the same bytes.
//   - A run is changed if and only if an edit is planned for it. Noise never says anything about the thing itself.
package changesite
