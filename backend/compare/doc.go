// Package compare tells what changed between two runs of a monitor, and what only seems to have.
//
// The idea is that a page is a set of blocks, each with a place: the headings that it stands under, the label that it has,
// and what is beside it. Text that line breaks part is read as the paragraphs that it shows, with a bold line as a label of what is
// below. Blocks are told apart by what they say, not by where they are, so that what moved is no change;
// within a block that did change, tokens are compared by what they mean, so that "1,299.00 €" is "€1299". What is left is
// held against two kinds of noise: what is noise by what it looks like (a date that goes with the day, a visitor counter, an advert,
// a session id), and what differs between two looks at a page in one run (Settle), which is the page being made anew and not the
// thing changing. Where looks differ is remembered in Noise, with what was seen there.
//
// The rule of the further looks is this. A difference from the last run counts where each look of this run has it: the same words
// and numbers in the same block, an item that is there, or gone, in all of them. In a place that is known to vary, it counts where,
// besides, something of it was never seen there. So a banner in rotation is noise even when all looks show the same one, and
// is told when it gives way to a notice.
//
// How often a place differs from run to run is remembered in Noise, too (History). Where nothing narrows what is watched, what is another in the
// first two comparisons, or in three of four, is noise of its place whatever it says, amounts and units included: a number, a text, a box beside
// others, a row that stands where another did, a link. Money, versions, dates and states have to differ in four of four. After two runs in
// which it stood still a place is told of again. A list that grows and shrinks is told of with each run, however busy it is, but for members
// that were gone and came back (Turns). In the first
// two comparisons a page on which nothing differs but what is marginal (words above the title, or in a row that lays out the page) is left as it was, and
// told of a run later where it stays as it is now.
//
// What looks agree on and is no change all the same is known by its words: what is read off a clock, an instrument or a market, what is
// counted of readers, and what goes with the day by its own name, "Saying of the day". Of the last, amounts and offers are told, and
// none of it is noise where it is watched. Words that say how much is allowed ("up to 12 members") are of no count.
//
// A Snapshot is what is kept of a run. With extracted data in it (Page.Data) pages are compared field by field, exactly, and
// what their blocks say does not matter.
//
// Invariants:
//
//   - Compare of a snapshot with itself is never a change, whatever the noise; nor is it when unordered things change places.
//   - What is in one look of a run alone is no change, and neither is a look that failed a reason for one or against one.
//   - Same input, same Diff; all that is written is valid UTF-8 and of bounded size, as is what is kept.
//   - A page that failed in a run, or that answered with something else than itself, is no change. Snapshot.Keep has the next
//     run compare with what was last seen of it.
//   - No input makes the package panic, or run longer than in proportion to its size.
package compare
