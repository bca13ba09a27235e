package pdf

import (
	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

// page is one page with what it inherits (ISO 32000-1, 7.7.3).
type page struct {
	dict      object.Dict
	object    object.Ref // its own; 0 where it is not known
	resources object.Dict
	box       [4]float64
	rotate    int
}

const (
	// treeDepthMax is how deep the tree of pages is.
	treeDepthMax = 64
	// treeNodesMax is how many nodes of it are visited, each once at most.
	treeNodesMax = 200_000
)

// letter is the page that is taken where a file does not say its size.
var letter = [4]float64{0, 0, 612, 792}

// pages lists the leaves of the tree of pages, at most limit of them, and how many there are, as far as is known.
func (r *reader) pages(limit int) (list []page, total int) {
	root := r.Catalog()
	w := &pageWalk{r: r, seen: map[object.Ref]bool{}, limit: limit}
	w.walk(root["Pages"], page{box: letter}, 0)
	total = w.total
	if count, ok := r.Int(r.Dict(root["Pages"])["Count"]); ok && w.cut && count > total && count < 10_000_000 {
		total = count
	}
	if total == 0 {
		w.stray()
		total = w.total
	}
	return w.list, total
}

type pageWalk struct {
	r     *reader
	seen  map[object.Ref]bool
	nodes int
	limit int
	list  []page
	total int
	cut   bool
}

func (w *pageWalk) walk(v any, above page, depth int) {
	if w.nodes++; depth > treeDepthMax || w.nodes > treeNodesMax || w.cut || !w.r.budget.Alive() {
		return
	}
	if r, ok := v.(object.Ref); ok {
		if w.seen[r] {
			return
		}
		w.seen[r] = true
	}
	d := w.r.Dict(v)
	if d == nil {
		return
	}
	at := w.r.inherit(d, above)
	kids := w.r.Array(d["Kids"])
	if kids == nil || w.r.Name(d["Type"]) == "Page" {
		if r, ok := v.(object.Ref); ok {
			at.object = r
		}
		w.leaf(d, at)
		return
	}
	for _, kid := range kids {
		w.walk(kid, at, depth+1)
	}
}

func (w *pageWalk) leaf(d object.Dict, at page) {
	if w.total++; len(w.list) >= w.limit {
		w.cut = true
		return
	}
	at.dict = d
	w.list = append(w.list, at)
}

// stray looks for pages that no tree leads to, in the order of their numbers.
func (w *pageWalk) stray() {
	numbers := w.r.ObjectNumbers()
	for _, number := range numbers[:min(len(numbers), treeNodesMax)] {
		if w.cut || !w.r.budget.Alive() {
			return
		}
		if d, ok := w.r.Object(number).(object.Dict); ok && w.r.Name(d["Type"]) == "Page" {
			w.leaf(d, w.r.inherit(d, page{box: letter}))
		}
	}
}

// inherit is a page or a node with what it takes from the node above.
func (r *reader) inherit(d object.Dict, above page) page {
	at := above
	if resources := r.Dict(d["Resources"]); resources != nil {
		at.resources = resources
	}
	for _, key := range []object.Name{"MediaBox", "CropBox"} {
		if box, ok := r.Numbers(d[key], 4); ok {
			x0, x1 := min(box[0], box[2]), max(box[0], box[2])
			y0, y1 := min(box[1], box[3]), max(box[1], box[3])
			if x1-x0 > 1 && y1-y0 > 1 {
				at.box = [4]float64{x0, y0, x1, y1}
			}
		}
	}
	if rotate, ok := r.Int(d["Rotate"]); ok && rotate%90 == 0 {
		at.rotate = ((rotate % 360) + 360) % 360
	}
	return at
}
