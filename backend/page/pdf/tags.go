package pdf

import (
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

const (
	tagNodesMax = 200_000
	tagDepthMax = 64
)

// tag is what a tagged file says of a piece of content (ISO 32000-1, 14.7 and 14.8).
type tag struct {
	// block is the number of the innermost paragraph, heading, item or cell; 0: not known.
	block int32
	// item is the number of the list item around, and depth how many lists are.
	item  int32
	cell  int32
	level uint8 // of a heading, 1–6
	depth uint8
}

// place is marked content on a page, by the page's object.
type place struct {
	page object.Ref
	mark int32
}

// tagWalk reads the structure tree.
type tagWalk struct {
	r     *reader
	roles object.Dict
	seen  map[object.Ref]bool
	nodes int
	next  int32
	tags  map[place]tag
}

// readTags reads the structure of a tagged file, by the place of its content.
func (r *reader) readTags() map[place]tag {
	root := r.Dict(r.Catalog()["StructTreeRoot"])
	if root == nil {
		return nil
	}
	w := &tagWalk{r: r, roles: r.Dict(root["RoleMap"]), seen: map[object.Ref]bool{}, tags: map[place]tag{}}
	w.kids(root["K"], 0, tag{}, 0)
	return w.tags
}

// kids visits what is in an element: marked content by its number or with its page, and further elements.
func (w *tagWalk) kids(v any, page object.Ref, at tag, depth int) {
	if w.nodes++; w.nodes > tagNodesMax || depth > tagDepthMax || !w.r.budget.Alive() {
		return
	}
	if key, ok := v.(object.Ref); ok {
		if w.seen[key] {
			return
		}
		w.seen[key] = true
	}
	switch v := w.r.Resolve(v).(type) {
	case int:
		w.tags[place{page, int32(v & 0x7fffffff)}] = at //nolint:gosec // 31 bits
	case object.Array:
		for _, kid := range v {
			w.kids(kid, page, at, depth+1)
		}
	case object.Dict:
		if on, ok := v["Pg"].(object.Ref); ok {
			page = on
		}
		if mark, ok := w.r.Int(v["MCID"]); ok {
			if v["Stm"] == nil {
				w.tags[place{page, int32(mark & 0x7fffffff)}] = at //nolint:gosec // 31 bits
			}
			return
		}
		if v["K"] != nil && v["S"] != nil {
			w.kids(v["K"], page, w.enter(w.role(v["S"]), at), depth+1)
		}
	}
}

// role is the standard role of an element (14.7.3).
func (w *tagWalk) role(v any) object.Name {
	role := w.r.Name(v)
	for range 4 {
		next := w.r.Name(w.roles[role])
		if next == "" {
			break
		}
		role = next
	}
	return role
}

// enter is what holds within an element of a role.
func (w *tagWalk) enter(role object.Name, at tag) tag {
	number := func() int32 {
		w.next++
		return w.next
	}
	switch role {
	case "P", "Caption", "Note", "FENote", "BlockQuote", "Quote", "TOCI", "BibEntry", "Code", "Title":
		at.block = number()
	case "H", "H1", "H2", "H3", "H4", "H5", "H6":
		at.block, at.level = number(), 2
		if digit := strings.TrimPrefix(string(role), "H"); digit != "" {
			at.level = digit[0] - '0'
		}
	case "L":
		at.depth = min(at.depth+1, 6)
	case "LI":
		at.block = number()
		at.item = at.block
	case "TD", "TH":
		at.block = number()
		at.cell = at.block
		at.item, at.depth = 0, 0
	}
	return at
}
