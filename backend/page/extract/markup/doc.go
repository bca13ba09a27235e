// Package markup reads hostile HTML: as tokens, or as a tree of bounded depth and size.
//
// In HTML a few bytes can ask for a lot of work: formatting elements that are reopened in every block, attributes of
// repeated roots, elements nested without end. So Parse scans the tokens first, in linear time, and estimates the tree.
// Pages that would explode are either simplified, losing markup but no text, or refused with ErrTooComplex.
package markup
