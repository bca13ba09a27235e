// Package compare tells what changed between two runs of a monitor, and what only seems to have.
//
// The idea is that a page is a list of blocks, that all that differs is found, and that a small learned model decides what of it is told.
// Blocks are told apart by what they say, not by where they are, so that what moved or was shuffled is no difference. A block that has no
// like on the other side is paired with the one that is most alike, or that stands in the same place; what differs within it is one or more
// runs of words. What is on one side alone is taken by whole elements: an item, a card, a row.
//
// A page that seems to have changed is fetched again at once (Settle). What some fetch does not show is noise, and its place is remembered
// (Noise), with what was seen there, and with how often the place differs from run to run. A place is known by the elements around it and by
// what its neighbours say.
//
// The model (Model) is a forest of trees over figures of a difference: what kind of value differs, where on the page and in which elements,
// how much, whether the query asks for it, and what is known of its place. A word, class or place is evidence for it, never a verdict. Its
// weights are trained in eval/ on real pages. All that differs and is not told is listed in Diff.Other, each with a reason.
//
// A Snapshot is what is kept of a run. With extracted data in it (Page.Data) pages are compared field by field, exactly, and
// what their blocks say does not matter.
//
// Invariants:
//
//   - Compare of a snapshot with itself finds no difference, whatever the noise; nor when blocks change places.
//   - What is in one look of a run alone is no change, and neither is a look that failed a reason for one or against one.
//   - Nothing that differs is left out: it is told, or listed as ignored.
//   - Same input, same Diff; all that is written is valid UTF-8 and of bounded size, as is what is kept.
//   - A page that failed in a run, or that answered with something else than itself, is no change. Snapshot.Keep has the next
//     run compare with what was last seen of it. A page that was kept by an earlier release is a new baseline.
//   - No input makes the package panic, or run longer than in proportion to its size.
package compare
