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
// is told when it gives way to a notice. How often a place changes from run to run teaches little: bare numbers that are others four
// times in a row are noise, or twice where they grew by little, and so is, where nothing narrows what is watched, a text without a label that is the only one of its form
// under its heading and was another three times in a row, until it has been still for two runs. What it says of amounts, dates and
// states is told all the same, and a list that is busy is told of with each run.
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
//
// The package imports extract, which reads the pages, and jsonschema.
package compare
