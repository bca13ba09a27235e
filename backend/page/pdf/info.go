package pdf

import (
	"strings"
	"time"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/object"
)

// infoBytesMax ends each field of what a file says of itself.
const infoBytesMax = 4096

// readInfo reads the document information (ISO 32000-1, 14.3.3) and the language (14.9.2).
func (r *reader) readInfo(doc *Document) {
	info := r.Info()
	field := func(key object.Name) string {
		s, _ := r.Resolve(info[key]).(object.String)
		return infoText(s)
	}
	doc.Title, doc.Author, doc.Subject, doc.Keywords = field("Title"), field("Author"), field("Subject"), field("Keywords")
	doc.Created, doc.Modified = dateOf(field("CreationDate")), dateOf(field("ModDate"))
	root := r.Catalog()
	if s, ok := r.Resolve(root["Lang"]).(object.String); ok && len(s) <= 64 {
		doc.Language = s.Text()
	}
	if s, ok := r.Resolve(root["Metadata"]).(*object.Stream); ok {
		r.readXMP(s, doc)
	}
}

func infoText(s object.String) string {
	return strings.Join(strings.Fields(s[:min(len(s), infoBytesMax)].Text()), " ")
}

// dateOf reads "D:20240131093000+01'00'", all but the year of which may be missing (7.9.4). It is zero where it is none.
func dateOf(s string) time.Time {
	s = strings.TrimPrefix(strings.TrimSpace(s), "D:")
	digits := 0
	for digits < len(s) && digits < 14 && unicode.IsDigit(rune(s[digits])) {
		digits++
	}
	zone := strings.ReplaceAll(s[digits:], "'", "")
	layout := "20060102150405"[:digits/2*2]
	if digits < 4 {
		return time.Time{}
	}
	if len(zone) >= 5 && (zone[0] == '+' || zone[0] == '-') {
		if t, err := time.Parse(layout+"-0700", s[:len(layout)]+zone[:5]); err == nil {
			return t
		}
	}
	t, err := time.Parse(layout, s[:len(layout)])
	if err != nil {
		return time.Time{}
	}
	return t
}

// readXMP takes from XMP what the information lacks: newer files have nothing else. It is XML, of which the few
// elements that matter are written in the same way by all.
func (r *reader) readXMP(s *object.Stream, doc *Document) {
	data, err := r.Decode(s)
	if err != nil || len(data) > 1<<20 {
		return
	}
	xmp := string(data)
	for _, want := range []struct {
		field   *string
		element string
	}{
		{&doc.Title, "dc:title"}, {&doc.Author, "dc:creator"}, {&doc.Subject, "dc:description"}, {&doc.Keywords, "pdf:Keywords"}, {&doc.Language, "dc:language"},
	} {
		if *want.field == "" {
			*want.field = strings.ToValidUTF8(xmpText(xmp, want.element), "")
		}
	}
	for _, want := range []struct {
		field   *time.Time
		element string
	}{{&doc.Created, "xmp:CreateDate"}, {&doc.Modified, "xmp:ModifyDate"}} {
		if t, err := time.Parse(time.RFC3339, xmpText(xmp, want.element)); err == nil && want.field.IsZero() {
			*want.field = t
		}
	}
}

// xmpText is the text of the first item of an element, or of an attribute of that name.
func xmpText(xmp, element string) string {
	if _, after, ok := strings.Cut(xmp, "<"+element); ok && len(after) > 0 && (after[0] == '>' || after[0] == ' ') {
		inner, _, _ := strings.Cut(after, "</"+element)
		if _, item, ok := strings.Cut(inner, "<rdf:li"); ok {
			inner, _, _ = strings.Cut(item, "</rdf:li")
		}
		_, value, _ := strings.Cut(inner, ">")
		if strings.Contains(value, "<") {
			return ""
		}
		return unescaped(value)
	}
	if _, after, ok := strings.Cut(xmp, " "+element+"=\""); ok {
		value, _, _ := strings.Cut(after, "\"")
		return unescaped(value)
	}
	return ""
}

func unescaped(s string) string {
	if len(s) > infoBytesMax {
		s = s[:infoBytesMax]
	}
	s = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

// readLayers notes the optional content that is off when the file is opened (8.11.4.3).
func (r *reader) readLayers() {
	properties := r.Dict(r.Catalog()["OCProperties"])
	config := r.Dict(properties["D"])
	r.layersOff = map[object.Ref]bool{}
	set := func(list object.Array, off bool) {
		for _, v := range list[:min(len(list), 10_000)] {
			if group, ok := v.(object.Ref); ok {
				r.layersOff[group] = off
			}
		}
	}
	if r.Name(config["BaseState"]) == "OFF" {
		set(r.Array(properties["OCGs"]), true)
		set(r.Array(config["ON"]), false)
	}
	set(r.Array(config["OFF"]), true)
}

const (
	outlineItemsMax = 20_000
	outlineDepthMax = 16
)

// outline is the table of contents that viewers show (12.3.3): the depth of each title, from 1, by its letters.
func (r *reader) outline() map[string]int {
	out := map[string]int{}
	seen := map[object.Ref]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		for len(seen) < outlineItemsMax && depth <= outlineDepthMax && r.budget.Alive() {
			key, ok := v.(object.Ref)
			if !ok || seen[key] {
				return
			}
			seen[key] = true
			d := r.Dict(v)
			if d == nil {
				return
			}
			if title, ok := r.Resolve(d["Title"]).(object.String); ok {
				if t := letters(infoText(title)); t != "" && out[t] == 0 {
					out[t] = depth
				}
			}
			if d["First"] != nil {
				walk(d["First"], depth+1)
			}
			v = d["Next"]
		}
	}
	walk(r.Dict(r.Catalog()["Outlines"])["First"], 1)
	return out
}
