package pdf

import (
	"math"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

// pageText is what is kept of a page until the document is put together.
type pageText struct {
	number  int
	regions []region
	// pictures is how many images there are.
	pictures int
	glyphs   int
}

// region is a piece of a page that is read from top to bottom: the page, or a column of it.
type region struct {
	lines []line
	// apart regions do not go on from the one before: text in another direction, or below a full-width line.
	apart bool
}

// linksPerPageMax is how many links of one page are kept.
const linksPerPageMax = 500

// linksMax is how many links of a file are kept.
const linksMax = 20_000

// readPages reads pages until a limit is reached.
func (r *reader) readPages(pages []page) []pageText {
	out := make([]pageText, 0, min(len(pages), 4096))
	for i, p := range pages {
		if !r.budget.Alive() {
			break
		}
		out = append(out, r.readPage(p, i+1))
	}
	return out
}

// base is the transformation that makes a page upright, as it is shown.
func (p page) base() matrix {
	m := matrix{1, 0, 0, 1, -p.box[0], -p.box[1]}
	w, h := p.box[2]-p.box[0], p.box[3]-p.box[1]
	switch p.rotate {
	case 90:
		m = m.times(matrix{0, -1, 1, 0, 0, w})
	case 180:
		m = m.times(matrix{-1, 0, 0, -1, w, h})
	case 270:
		m = m.times(matrix{0, 1, -1, 0, h, 0})
	}
	return m
}

func (p page) height() float64 {
	if p.rotate%180 != 0 {
		return p.box[2] - p.box[0]
	}
	return p.box[3] - p.box[1]
}

func (r *reader) readPage(p page, pageNumber int) pageText {
	r.fonts.NextPage()
	in := &interpreter{r: r, tm: identity, line: identity}
	in.state = graphics{ctm: p.base(), scale: 1}
	in.run(r.pageContent(p.dict["Contents"]), p.resources)
	boxes := r.annotations(p, in, pageNumber)
	out := pageText{number: pageNumber, pictures: in.images, glyphs: len(in.glyphs)}
	for i, t := range byDirection(in.glyphs) {
		words := wordsOf(t)
		r.tagWords(words, p.object)
		if t.degrees == 0 {
			markLinks(words, boxes)
		}
		l := &layout{r: r, height: p.height(), upright: t.degrees == 0}
		l.region(segmentsOf(words), 0, i > 0)
		out.regions = append(out.regions, l.regions...)
	}
	return out
}

// pageContent is the content of a page, of one stream or several, which are read as one (7.8.2).
func (r *reader) pageContent(v any) []byte {
	switch v := r.Resolve(v).(type) {
	case *object.Stream:
		data, _ := r.Decode(v)
		return data
	case object.Array:
		var out []byte
		for _, part := range v[:min(len(v), 10_000)] {
			s, ok := r.Resolve(part).(*object.Stream)
			if !ok {
				continue
			}
			data, err := r.Decode(s)
			if err != nil {
				continue
			}
			if len(out)+len(data) > r.budget.Limits.DecodedBytesMax/16 {
				r.cut = true
				return out
			}
			out = append(append(out, data...), '\n')
		}
		return out
	}
	return nil
}

// tagWords notes what a tagged file says of words.
func (r *reader) tagWords(words []word, pageObject object.Ref) {
	if len(r.tags) == 0 || pageObject == 0 {
		return
	}
	for i := range words {
		if w := &words[i]; w.mark >= 0 {
			w.tag = r.tags[place{pageObject, w.mark}]
		}
	}
}

// linkBox is where a link is on the page, upright.
type linkBox struct {
	x0, y0, x1, y1 float64
	link           int32
}

// annotations reads the links of a page, and runs the appearance of form fields and notes in the text.
func (r *reader) annotations(p page, in *interpreter, pageNumber int) []linkBox {
	var boxes []linkBox
	list := r.Array(p.dict["Annots"])
	for _, v := range list[:min(len(list), 5000)] {
		d := r.Dict(v)
		if d == nil || !r.budget.Alive() {
			continue
		}
		switch r.Name(d["Subtype"]) {
		case "Link":
			if box, ok := r.link(p, d, pageNumber); ok && len(boxes) < linksPerPageMax {
				boxes = append(boxes, box)
			}
		case "Widget", "FreeText", "Stamp":
			r.appearance(p, d, in)
		}
	}
	return boxes
}

func (r *reader) link(p page, d object.Dict, pageNumber int) (linkBox, bool) {
	action := r.Dict(d["A"])
	uri, ok := r.Resolve(action["URI"]).(object.String)
	rect, isRect := r.Numbers(d["Rect"], 4)
	if !ok || len(uri) == 0 || len(uri) > 4096 || len(r.links) >= linksMax || !isRect {
		return linkBox{}, false
	}
	m := p.base()
	x0, y0 := m.apply(rect[0], rect[1])
	x1, y1 := m.apply(rect[2], rect[3])
	box := linkBox{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), int32(len(r.links))} //nolint:gosec // at most linksMax
	r.links = append(r.links, Link{URI: strings.ToValidUTF8(strings.TrimSpace(string(uri)), ""), Page: pageNumber})
	return box, true
}

// markLinks notes which words stand in which link.
func markLinks(words []word, boxes []linkBox) {
	for _, b := range boxes {
		for i := range words {
			w := &words[i]
			x, y := (w.u0+w.u1)/2, w.v+0.3*w.size
			if x >= b.x0-1 && x <= b.x1+1 && y >= b.y0-1 && y <= b.y1+1 {
				w.link = b.link
			}
		}
	}
}

// appearance runs the normal appearance of an annotation (12.5.5), its box moved to the annotation's rectangle.
func (r *reader) appearance(p page, d object.Dict, in *interpreter) {
	if flags, _ := r.Int(d["F"]); flags&2 != 0 { // hidden
		return
	}
	v := r.Resolve(r.Dict(d["AP"])["N"])
	if states, ok := v.(object.Dict); ok {
		v = r.Resolve(states[r.Name(d["AS"])])
	}
	s, ok := v.(*object.Stream)
	rect, isRect := r.Numbers(d["Rect"], 4)
	if !ok || !isRect {
		return
	}
	m := identity
	if own, ok := r.Numbers(s.Dict["Matrix"], 6); ok {
		m = matrix(own)
	}
	at := matrix{1, 0, 0, 1, min(rect[0], rect[2]), min(rect[1], rect[3])}
	if box, ok := r.Numbers(s.Dict["BBox"], 4); ok {
		x, y := math.Inf(1), math.Inf(1)
		for _, corner := range [][2]float64{{box[0], box[1]}, {box[2], box[1]}, {box[0], box[3]}, {box[2], box[3]}} {
			cx, cy := m.apply(corner[0], corner[1])
			x, y = min(x, cx), min(y, cy)
		}
		at[4], at[5] = at[4]-x, at[5]-y
	}
	in.state = graphics{ctm: p.base(), scale: 1}
	in.stack, in.surplus, in.marks = nil, 0, nil
	in.form(s, at)
}
