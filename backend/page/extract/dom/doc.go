// Package dom reads and changes the nodes of HTML trees: their attributes, classes, order and text.
//
// It has what several readers of pages need; each keeps its own questions to itself.
package dom
