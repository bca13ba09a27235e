package pdf

import "math"

// glyph is a piece of text at its place on the page, mostly one character. Places are in points, upright as the page is
// shown: x grows to the right, y upwards.
type glyph struct {
	text string
	x, y float64
	// dx and dy are how far it moves along its line.
	dx, dy float64
	size   float64
	font   *font
	code   uint32
	// mark is the marked content that it stands in, for tagged files; -1: none.
	mark int32
}

// direction is which way a glyph's line runs, in degrees counted anticlockwise from the right.
func (g *glyph) direction() float64 {
	return math.Atan2(g.dy, g.dx) * 180 / math.Pi
}
