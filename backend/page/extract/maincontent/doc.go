// Package maincontent finds the main content of an HTML page, the page's type, and how reliable both are.
//
// A page is split into blocks, the pieces of text between the borders of block elements (segment.go). A forest of
// regression trees estimates for each block the share of its words that belong to the content, from some two hundred
// features of the block, its neighbours, its ancestors and the page (features.go, forest.go). Then the blocks with the
// highest expected word F1 are chosen (choose.go). There is no threshold, so that a listing of a hundred uncertain items
// is kept as a whole and an uncertain line beside an article is not. That expected F1 is also the page's quality. Seven
// small forests over the features of the page and of the chosen blocks give the page's type.
//
// The weights (weights.bin) are written by the training program in eval/wcxb, which this package does not import.
// Training and use compute features with the same code.
//
// Invariants:
//   - The same tree gives the same result: no map iteration affects it, no clock, no randomness.
//   - Time and memory are linear in the tree's size times its bounded depth; beyond blocksMax blocks nothing is judged.
//   - Keep only removes: elements that remain keep their order, ancestors and attributes.
package maincontent
