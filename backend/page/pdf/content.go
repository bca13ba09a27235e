package pdf

import (
	"math"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/font"
	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

const (
	// operandsMax is how many operands of one operator are kept; TJ has one array, so it needs few.
	operandsMax = 64
	// textItemsMax is how many items of one TJ are kept.
	textItemsMax = 100_000
	// propertiesMax is how many values the properties of marked content have at most.
	propertiesMax = 10_000
	// statesMax is how deep q nests.
	statesMax = 256
	// formsMax is how deep forms are within each other.
	formsMax = 12
	// pageGlyphsMax is how many glyphs are kept of one page.
	pageGlyphsMax = 200_000
	// sizeMax is the largest size of text that is taken for one, in points.
	sizeMax = 5000
)

// operand is one operand of an operator, without the cost of an interface.
type operand struct {
	kind  object.TokenKind
	num   float64
	bytes []byte
}

// graphics is the part of the graphics state that text needs (ISO 32000-1, 8.4 and 9.3).
type graphics struct {
	ctm                        matrix
	font                       *font.Font
	size, charSpace, wordSpace float64
	scale, leading, rise       float64
}

// interpreter runs the content of one page.
type interpreter struct {
	r         *reader
	state     graphics
	stack     []graphics
	surplus   int // q beyond statesMax
	tm, line  matrix
	glyphs    []glyph
	operands  []operand
	items     []operand // of the array at hand
	inArray   bool
	resources object.Dict
	depth     int
	images    int
	marks     []markedContent
	full      bool
	// props are the properties of the BDC that follows.
	props object.Dict
}

// markedContent is a marked-content sequence (14.6).
type markedContent struct {
	mark   int32
	actual string
	// from is the first glyph of text that is replaced; -1: none is.
	from int
	// hidden content belongs to a layer that is off.
	hidden bool
}

// run reads content. What is no operator, or has the wrong operands, is passed over.
func (in *interpreter) run(data []byte, resources object.Dict) {
	outer := in.resources
	in.resources = resources
	defer func() { in.resources = outer }()
	b := in.r.budget
	p := object.NewParser(data, b)
	for !in.full {
		t := p.Next()
		if t.Kind == object.TokenEOF || !b.Take(&b.Operators, 1, "operators") {
			return
		}
		switch t.Kind {
		case object.TokenKeyword:
			if string(t.Bytes) == "BI" {
				in.images++
				p.SkipInlineImage()
			} else {
				in.operator(t.Bytes)
			}
			in.operands, in.items, in.inArray, in.props = in.operands[:0], in.items[:0], false, nil
		case object.TokenArrayOpen:
			in.inArray = true
		case object.TokenArrayClose:
			in.inArray = false
			in.push(operand{kind: object.TokenArrayOpen})
		case object.TokenDictOpen:
			in.push(operand{kind: object.TokenDictOpen})
			in.props = p.Dict(propertiesMax)
		case object.TokenDictClose, object.TokenEOF:
		case object.TokenInt, object.TokenReal, object.TokenName, object.TokenString:
			in.push(operand{kind: t.Kind, num: t.Real, bytes: t.Bytes})
		}
	}
}

func (in *interpreter) push(o operand) {
	switch {
	case in.inArray && len(in.items) < textItemsMax:
		in.items = append(in.items, o)
	case !in.inArray && len(in.operands) < operandsMax:
		in.operands = append(in.operands, o)
	}
}

// num is the i-th operand from the end.
func (in *interpreter) num(fromEnd int) float64 {
	i := len(in.operands) - fromEnd
	if i < 0 || i >= len(in.operands) {
		return 0
	}
	return in.operands[i].num
}

// last is the bytes of the last operand, which are those of a string or a name.
func (in *interpreter) last(kind object.TokenKind) ([]byte, bool) {
	if n := len(in.operands); n > 0 && in.operands[n-1].kind == kind {
		return in.operands[n-1].bytes, true
	}
	return nil, false
}

func (in *interpreter) matrix() (matrix, bool) {
	m := matrix{in.num(6), in.num(5), in.num(4), in.num(3), in.num(2), in.num(1)}
	return m, len(in.operands) >= 6
}

// operator runs one operator (annex A); those that concern no text do nothing.
func (in *interpreter) operator(op []byte) {
	s := &in.state
	switch string(op) {
	case "q":
		in.save()
	case "Q":
		in.restore()
	case "cm":
		if m, ok := in.matrix(); ok {
			if m = m.times(s.ctm); m.finite() {
				s.ctm = m
			}
		}
	case "BT":
		in.tm, in.line = identity, identity
	case "Tf":
		s.size = in.num(1)
		if n := len(in.operands); n >= 2 && in.operands[n-2].kind == object.TokenName {
			s.font = in.r.fonts.Font(in.r.Dict(in.resources["Font"])[object.Name(in.operands[n-2].bytes)])
		}
	case "Tc":
		s.charSpace = in.num(1)
	case "Tw":
		s.wordSpace = in.num(1)
	case "Tz":
		s.scale = in.num(1) / 100
	case "TL":
		s.leading = in.num(1)
	case "Ts":
		s.rise = in.num(1)
	case "Td":
		in.move(in.num(2), in.num(1))
	case "TD":
		s.leading = -in.num(1)
		in.move(in.num(2), in.num(1))
	case "T*":
		in.move(0, -s.leading)
	case "Tm":
		if m, ok := in.matrix(); ok && m.finite() {
			in.tm, in.line = m, m
		}
	case "Do":
		if n, ok := in.last(object.TokenName); ok {
			in.object(object.Name(n))
		}
	case "gs":
		if n, ok := in.last(object.TokenName); ok {
			in.external(object.Name(n))
		}
	default:
		in.textOperator(op)
	}
}

// textOperator runs the operators that show text or mark it.
func (in *interpreter) textOperator(op []byte) {
	s := &in.state
	switch string(op) {
	case "'", "\"":
		if op[0] == '"' && len(in.operands) >= 3 {
			s.wordSpace, s.charSpace = in.num(3), in.num(2)
		}
		in.move(0, -s.leading)
		fallthrough
	case "Tj":
		if t, ok := in.last(object.TokenString); ok {
			in.show(t)
		}
	case "TJ":
		for _, item := range in.items {
			switch item.kind {
			case object.TokenString:
				in.show(item.bytes)
			case object.TokenInt, object.TokenReal:
				in.advance(-item.num / 1000 * s.size)
			default:
			}
		}
	case "BDC":
		in.begin(true)
	case "BMC":
		in.begin(false)
	case "EMC":
		in.end()
	}
}

func (in *interpreter) save() {
	if len(in.stack) >= statesMax {
		in.surplus++
		return
	}
	in.stack = append(in.stack, in.state)
}

func (in *interpreter) restore() {
	switch n := len(in.stack); {
	case in.surplus > 0:
		in.surplus--
	case n > 0:
		in.state, in.stack = in.stack[n-1], in.stack[:n-1]
	}
}

func (in *interpreter) move(x, y float64) {
	if m := (matrix{1, 0, 0, 1, x, y}).times(in.line); m.finite() {
		in.tm, in.line = m, m
	}
}

// advance moves along the line by a distance in text space.
func (in *interpreter) advance(by float64) {
	m := matrix{1, 0, 0, 1, by * in.state.scale, 0}
	if in.state.font != nil && in.state.font.Vertical {
		m = matrix{1, 0, 0, 1, 0, by}
	}
	if m = m.times(in.tm); m.finite() {
		in.tm = m
	}
}

// show shows a string (9.4.3). Text of every rendering mode counts: mode 3, which shows nothing, is how recognised text
// lies over a scanned page.
func (in *interpreter) show(s []byte) {
	st := &in.state
	if st.font == nil || in.hidden() {
		return
	}
	b := in.r.budget
	for len(s) > 0 && !in.full {
		if !b.Take(&b.Glyphs, 1, "glyphs") {
			in.full = true
			return
		}
		g := st.font.Next(s)
		by := g.Width*st.size + st.charSpace
		if g.Bytes == 1 && s[0] == ' ' {
			by += st.wordSpace
		}
		s = s[g.Bytes:]
		in.place(g)
		if st.font.Vertical {
			in.advance(-by)
		} else {
			in.advance(by)
		}
	}
}

// place notes a glyph where the text matrix is.
func (in *interpreter) place(g font.Glyph) {
	st := &in.state
	if in.r.seenGlyphs++; g.Text == "" {
		in.r.unknownGlyphs++
		return
	}
	m := (matrix{st.size * st.scale, 0, 0, st.size, 0, st.rise}).times(in.tm).times(st.ctm)
	size := math.Hypot(m[2], m[3])
	out := glyph{text: g.Text, x: m[4], y: m[5], dx: g.Width * m[0], dy: g.Width * m[1], size: size, font: st.font, mark: -1}
	if st.font.Vertical {
		// The origin is above the middle of the character (9.7.4.3); the line runs down.
		out.x, out.y = out.x-0.38*m[2], out.y-0.38*m[3]
		out.dx, out.dy = -m[2], -m[3]
	}
	if !m.finite() || size < 0.01 || size > sizeMax || math.Abs(out.dx)+math.Abs(out.dy) > 4*sizeMax {
		return
	}
	if n := len(in.marks); n > 0 && in.depth == 0 {
		out.mark = in.marks[n-1].mark
	}
	if len(in.glyphs) >= pageGlyphsMax {
		in.full, in.r.cut = true, true
		return
	}
	in.glyphs = append(in.glyphs, out)
}
