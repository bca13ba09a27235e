package pdf

import (
	"math"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/font"
)

// glyph is a piece of text at its place on the page, mostly one character. Places are in points, upright as the page is
// shown: x grows to the right, y upwards.
type glyph struct {
	text string
	x, y float64
	// dx and dy are how far it moves along its line.
	dx, dy float64
	size   float64
	font   *font.Font
	// mark is the marked content that it stands in, for tagged files; -1: none.
	mark int32
}

// direction is which way a glyph's line runs, in degrees counted anticlockwise from the right.
func (g *glyph) direction() float64 {
	return math.Atan2(g.dy, g.dx) * 180 / math.Pi
}

// matrix is [a b c d e f] as PDF writes it (ISO 32000-1, 8.3.3).
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times is m followed by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// finite reports whether a matrix can be reckoned with.
func (m matrix) finite() bool {
	for _, v := range m {
		if math.IsNaN(v) || math.Abs(v) > 1e9 {
			return false
		}
	}
	return true
}
