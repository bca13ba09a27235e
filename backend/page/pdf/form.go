package pdf

import (
	"math"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/font"
	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

// formCost is how many operators running a form counts for.
const formCost = 50

// object runs a form, and counts an image (ISO 32000-1, 8.8 and 8.10).
func (in *interpreter) object(key object.Name) {
	s, ok := in.r.Resolve(in.r.Dict(in.resources["XObject"])[key]).(*object.Stream)
	if !ok {
		return
	}
	switch in.r.Name(s.Dict["Subtype"]) {
	case "Image":
		in.images++
	case "Form":
		if !in.hidden() && !in.off(s.Dict["OC"]) {
			in.form(s, identity)
		}
	}
}

// form runs a form's content where before places it.
func (in *interpreter) form(s *object.Stream, before matrix) {
	if in.depth >= formsMax {
		return
	}
	data, err := in.r.Decode(s)
	if err != nil || !in.r.budget.Take(&in.r.budget.Operators, formCost, "operators") {
		return
	}
	in.depth++
	state, stack, surplus, tm, line, marks := in.state, in.stack, in.surplus, in.tm, in.line, len(in.marks)
	in.stack, in.surplus = nil, 0
	m := identity
	if v, ok := in.r.Numbers(s.Dict["Matrix"], 6); ok {
		m = matrix(v)
	}
	if m = m.times(before).times(in.state.ctm); m.finite() {
		in.state.ctm = m
	}
	resources := in.r.Dict(s.Dict["Resources"])
	if resources == nil {
		resources = in.resources // as files of PDF 1.1 have it (7.8.3)
	}
	operands, items := in.operands, in.items
	in.operands, in.items = nil, nil
	in.run(data, resources)
	in.operands, in.items = operands, items
	for len(in.marks) > marks {
		in.end()
	}
	in.state, in.stack, in.surplus, in.tm, in.line = state, stack, surplus, tm, line
	in.depth--
}

// external takes a font from an external graphics state (8.4.5).
func (in *interpreter) external(key object.Name) {
	d := in.r.Dict(in.r.Dict(in.resources["ExtGState"])[key])
	if f := in.r.Array(d["Font"]); len(f) == 2 {
		in.state.font = in.r.fonts.Font(f[0])
		in.state.size, _ = in.r.Number(f[1])
	}
}

// marksMax is how deep marked content nests.
const marksMax = 256

// begin opens marked content (14.6).
func (in *interpreter) begin(properties bool) {
	m := markedContent{mark: -1, from: -1}
	if n := len(in.marks); n > 0 {
		m.mark, m.hidden = in.marks[n-1].mark, in.marks[n-1].hidden
	}
	if properties && len(in.operands) >= 2 {
		in.properties(&m)
	}
	if len(in.marks) < marksMax {
		in.marks = append(in.marks, m)
	} else {
		in.marks[marksMax-1].from = -1
	}
}

// properties reads the tag and the properties of a BDC.
func (in *interpreter) properties(m *markedContent) {
	n := len(in.operands)
	d := in.props
	if key := in.operands[n-1]; key.kind == object.TokenName {
		v := in.r.Dict(in.resources["Properties"])[object.Name(key.bytes)]
		if string(in.operands[n-2].bytes) == "OC" && in.off(v) {
			m.hidden = true
		}
		d = in.r.Dict(v)
	}
	if id, ok := in.r.Int(d["MCID"]); ok && id >= 0 && id < math.MaxInt32 {
		m.mark = int32(id) //nolint:gosec // in range
	}
	if t, ok := in.r.Resolve(d["ActualText"]).(object.String); ok && len(t) <= 64<<10 {
		m.actual, m.from = t.Text(), len(in.glyphs)
	}
}

// end closes marked content. Its ActualText (14.9.4) takes the place of the glyphs since then.
func (in *interpreter) end() {
	n := len(in.marks)
	if n == 0 {
		return
	}
	m := in.marks[n-1]
	in.marks = in.marks[:n-1]
	if m.from < 0 || m.from >= len(in.glyphs) {
		return
	}
	first, last := &in.glyphs[m.from], in.glyphs[len(in.glyphs)-1]
	if math.Hypot(last.x-first.x, last.y-first.y) > 8*first.size*float64(len(in.glyphs)-m.from) {
		return // over several lines: it cannot be said what stands where
	}
	along := func(g *glyph, x, y float64) float64 {
		return ((x-g.x)*g.dx + (y-g.y)*g.dy) / max(math.Hypot(g.dx, g.dy), 1e-9)
	}
	if length := along(first, last.x+last.dx, last.y+last.dy); length > 0 && math.Abs(along(first, last.x, last.y)) < 1e6 {
		if have := math.Hypot(first.dx, first.dy); have > 1e-9 && sameLine(first, &last) {
			first.dx, first.dy = first.dx/have*length, first.dy/have*length
		}
	}
	first.text = font.Normalize(m.actual)
	in.glyphs = in.glyphs[:m.from+1]
}

// sameLine reports whether two glyphs stand on one line.
func sameLine(a, b *glyph) bool {
	across := (b.x-a.x)*a.dy - (b.y-a.y)*a.dx
	return math.Abs(across) <= 0.3*a.size*math.Hypot(a.dx, a.dy)
}

// hidden reports whether the content at hand is of a layer that is off.
func (in *interpreter) hidden() bool {
	n := len(in.marks)
	return n > 0 && in.marks[n-1].hidden
}

// off reports whether a layer, an optional content group, is off by the default configuration (8.11.4).
func (in *interpreter) off(v any) bool {
	if r, ok := v.(object.Ref); ok && in.r.layersOff[r] {
		return true
	}
	d := in.r.Dict(v)
	if in.r.Name(d["Type"]) != "OCMD" || in.r.Name(d["P"]) != "" && in.r.Name(d["P"]) != "AnyOn" {
		return false
	}
	groups, isArray := in.r.Resolve(d["OCGs"]).(object.Array)
	if !isArray {
		groups = object.Array{d["OCGs"]}
	}
	for _, group := range groups[:min(len(groups), 64)] {
		if r, ok := group.(object.Ref); !ok || !in.r.layersOff[r] {
			return false
		}
	}
	return len(groups) > 0
}
