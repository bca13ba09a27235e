package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// picture is a laid-out diagram, rendered as SVG by the template. Lengths are in its own units, a pixel each at full size.
type picture struct {
	Width, Height int
	Boxes         []pictureBox
	Lines         []pictureLine
	Words         string // a description for screen readers
}

type pictureBox struct {
	X, Y, Width, Height int
	Text                []pictureText
}

type pictureText struct {
	X, Y int
	Text string
}

type pictureLine struct {
	Path  string
	Label string
	X, Y  int // position of the label
}

const (
	boxWidth   = 214
	lineHeight = 18
	boxPadding = 13
	lineRunes  = 24 // of a label, at the style sheet's font size
	boxLines   = 4
	gapX, gapY = 28, 44
	marginXY   = 6
	passWidth  = 12 // of the place where an arrow passes a layer
	orderings  = 6
)

// place is a node in a layer, or the point where an arrow passes a layer.
type place struct {
	node  int // -1: a passing arrow
	x, y  int
	width int
	lines []string
}

// drawing is a diagram during layout: each edge leads from one layer to the next.
type drawing struct {
	d      *diagram
	places []place
	layers [][]int // of places
	above  [][]int // the places that lead to each place
	below  [][]int
	routes [][]int // the places of each edge
}

// draw lays a diagram out from top to bottom, to fit a narrow screen: each step below those it depends on, ordered so
// that few arrows cross (Sugiyama's method).
func draw(d *diagram) (*picture, error) {
	layers, err := d.layers()
	if err != nil {
		return nil, err
	}
	w := drawing{d: d, layers: make([][]int, len(layers))}
	layerOf, placeOf := make([]int, len(d.nodes)), make([]int, len(d.nodes))
	for depth, nodes := range layers {
		for _, node := range nodes {
			layerOf[node] = depth
			placeOf[node] = w.add(depth, place{node: node, width: boxWidth, lines: wrap(d.nodes[node].label, lineRunes, boxLines)})
		}
	}
	for _, e := range d.edges {
		route := []int{placeOf[e.from]}
		for depth := layerOf[e.from] + 1; depth < layerOf[e.to]; depth++ {
			route = append(route, w.add(depth, place{node: -1, width: passWidth}))
		}
		route = append(route, placeOf[e.to])
		for i := 1; i < len(route); i++ {
			w.below[route[i-1]] = append(w.below[route[i-1]], route[i])
			w.above[route[i]] = append(w.above[route[i]], route[i-1])
		}
		w.routes = append(w.routes, route)
	}
	w.order()
	return w.picture(), nil
}

func (w *drawing) add(depth int, p place) int {
	w.places = append(w.places, p)
	w.above, w.below = append(w.above, nil), append(w.below, nil)
	at := len(w.places) - 1
	w.layers[depth] = append(w.layers[depth], at)
	return at
}

// order sorts layers by the positions of their neighbours, downwards and upwards in turn.
func (w *drawing) order() {
	for turn := range orderings {
		w.spread()
		if turn%2 == 0 {
			for _, layer := range w.layers {
				w.sortBy(layer, w.above)
			}
			continue
		}
		for _, layer := range slices.Backward(w.layers) {
			w.sortBy(layer, w.below)
		}
	}
	w.spread()
}

func (w *drawing) sortBy(layer []int, neighbours [][]int) {
	middle := func(at int) int {
		if len(neighbours[at]) == 0 {
			return w.places[at].x
		}
		sum := 0
		for _, n := range neighbours[at] {
			sum += w.places[n].x
		}
		return sum / len(neighbours[at])
	}
	keys := make(map[int]int, len(layer))
	for _, at := range layer {
		keys[at] = middle(at)
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
}

// spread sets the horizontal centres of places, with each layer centred on 0.
func (w *drawing) spread() {
	for _, layer := range w.layers {
		total := -gapX
		for _, at := range layer {
			total += w.places[at].width + gapX
		}
		x := -total / 2
		for _, at := range layer {
			w.places[at].x = x + w.places[at].width/2
			x += w.places[at].width + gapX
		}
	}
}

func boxHeight(lines int) int { return 2*boxPadding + lines*lineHeight }

func (w *drawing) picture() *picture {
	left, right := 0, 0
	for _, p := range w.places {
		left, right = min(left, p.x-p.width/2), max(right, p.x+p.width/2)
	}
	pic := &picture{Width: right - left + 2*marginXY}
	y := marginXY
	heights := make([]int, len(w.places))
	for _, layer := range w.layers {
		tallest := 0
		for _, at := range layer {
			if w.places[at].node >= 0 {
				tallest = max(tallest, boxHeight(len(w.places[at].lines)))
			}
		}
		for _, at := range layer {
			p := &w.places[at]
			p.x += marginXY - left
			p.y, heights[at] = y, tallest
			if p.node >= 0 {
				pic.Boxes = append(pic.Boxes, box(p, tallest))
			}
		}
		y += tallest + gapY
	}
	pic.Height = y - gapY + marginXY
	for i, route := range w.routes {
		pic.Lines = append(pic.Lines, w.line(route, heights, w.d.edges[i].label))
	}
	pic.Words = fmt.Sprintf("A flowchart of %s, each below the steps that it depends on. The list of steps has the same content.", counted(int64(len(pic.Boxes)), "step", "steps"))
	return pic
}

func box(p *place, height int) pictureBox {
	b := pictureBox{X: p.x - p.width/2, Y: p.y, Width: p.width, Height: height}
	first := p.y + (height-len(p.lines)*lineHeight)/2 + lineHeight - 5
	for i, text := range p.lines {
		b.Text = append(b.Text, pictureText{X: p.x, Y: first + i*lineHeight, Text: text})
	}
	return b
}

// line is an arrow from the bottom of its first place to the top of its last.
func (w *drawing) line(route, heights []int, label string) pictureLine {
	var path strings.Builder
	x, y := w.places[route[0]].x, w.places[route[0]].y+heights[route[0]]
	line := pictureLine{Label: clipped(label, lineRunes), X: x, Y: y + gapY/2}
	fmt.Fprintf(&path, "M%d %d", x, y)
	for i, at := range route[1:] {
		p := &w.places[at]
		end := p.y
		if i == len(route)-2 {
			end -= 7 // leaves room for the arrowhead
		}
		bend := (end - y) / 2
		fmt.Fprintf(&path, "C%d %d %d %d %d %d", x, y+bend, p.x, end-bend, p.x, end)
		if i == 0 {
			line.X = (x + p.x) / 2
		}
		x, y = p.x, end
		if i < len(route)-2 {
			y = p.y + heights[at]
			fmt.Fprintf(&path, "L%d %d", x, y)
		}
	}
	line.Path = path.String()
	return line
}

// wrap breaks text into lines of up to width characters, at spaces if possible, and cuts it after most lines.
func wrap(text string, width, most int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		for utf8.RuneCountInString(word) > width {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			runes := []rune(word)
			lines, word = append(lines, string(runes[:width])), string(runes[width:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = clipped(lines[most-1]+"…", width)
		if !strings.HasSuffix(lines[most-1], "…") {
			lines[most-1] = clipped(lines[most-1], width-1) + "…"
		}
	}
	return lines
}
