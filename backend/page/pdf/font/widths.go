package font

import (
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

// widthDefault is how wide a character is of which nothing is known, in thousandths of the size.
const widthDefault = 500

// readWidths reads the widths of a simple font (ISO 32000-1, 9.6.2), or takes those of the standard font that is most
// like it.
func (r *Reader) readWidths(f *Font, d, descriptor object.Dict) {
	missing, _ := r.file.Number(descriptor["MissingWidth"])
	if r.file.Name(d["Subtype"]) == "Type3" {
		if m, ok := r.file.Numbers(d["FontMatrix"], 6); ok && m[0] != 0 {
			f.scale = m[0]
		} else if ok && m[1] != 0 {
			f.scale = m[1]
		}
		f.scale = max(f.scale, -f.scale)
	}
	widths := r.file.Array(d["Widths"])
	first, _ := r.file.Int(d["FirstChar"])
	if len(widths) == 0 {
		f.standardWidths()
		return
	}
	for code := range f.widths {
		f.widths[code] = missing
		if i := code - first; i >= 0 && i < len(widths) {
			if w, ok := r.file.Number(widths[i]); ok {
				f.widths[code] = w
			}
		}
	}
}

func (f *Font) standardWidths() {
	lower := strings.ToLower(f.name)
	bold := strings.Contains(lower, "bold")
	table := "Helvetica"
	switch {
	case strings.Contains(lower, "courier"):
		for code := range f.widths {
			f.widths[code] = 600
		}
		return
	case strings.Contains(lower, "symbol"):
		table, bold = "Symbol", false
	case strings.Contains(lower, "times"), strings.Contains(lower, "serif"):
		table = "Times"
	}
	if bold {
		table += "-Bold"
	}
	widths := facts().widths[table]
	for code, t := range f.texts {
		f.widths[code] = widthDefault
		char, _ := utf8.DecodeRuneInString(t)
		if w, ok := widths[char]; ok {
			f.widths[code] = w
		}
	}
}
