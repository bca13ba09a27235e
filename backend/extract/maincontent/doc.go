// Package maincontent tells what of an HTML page is its content, what type of page it is, and how sure that is.
//
// The idea: a page is cut into blocks, the pieces of text between the borders of block elements (segment.go). A
// forest of regression trees estimates for each block the share of its words that belong to the content, from some
// two hundred figures about the block, its neighbours, its ancestors and the page (features.go, forest.go). Then those
// blocks are chosen whose expected word F1 is the highest (choose.go): no threshold, so that a listing of a hundred
// uncertain items is kept whole where an uncertain line beside an article is not. That expected F1 is also the
// page's quality. A page's type comes from seven small forests over the figures of the page and of what was chosen.
//
// The weights (weights.bin) are written by the training program in bench/wcxb, which is no part of this package's
// imports. Figures are worked out by the same code in training and in use.
//
// Invariants:
//   - The same tree gives the same answer: no maps are iterated where order shows, no clock, no randomness.
//   - Time and memory are linear in the tree's size times its bounded depth; beyond blocksMax blocks nothing is judged.
//   - Keep only takes away: elements that remain keep their order, ancestors and attributes.
//
// The package imports nothing of ours.
package maincontent
