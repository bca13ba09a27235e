package compare

import (
	"math"
	"net/url"
	"slices"
	"strings"
)

// row are figures with their names.
type row struct {
	names  []string
	values []float32
}

func (r *row) add(name string, value float32) {
	r.names = append(r.names, name)
	r.values = append(r.values, value)
}

func (r *row) flag(name string, is bool) {
	value := float32(0)
	if is {
		value = 1
	}
	r.add(name, value)
}

func logOf(n int) float32 { return float32(math.Log1p(float64(max(0, n)))) }

// FigureNames are the names of the figures by which a difference is judged.
func FigureNames() []string {
	s, r := side{Page: &Page{}, nodes: []node{{Block: &Block{}}}}, row{}
	p := &compared{a: &s, b: &s}
	c := &comparison{query: &query{}, noise: &Noise{}}
	d := &difference{b: []*node{&s.nodes[0]}}
	c.scene(p).describe(&r, d)
	c.remember(&r, d, p)
	return r.names
}

func (s *scene) figures(d *difference) []float32 {
	r := row{}
	s.describe(&r, d)
	return r.values
}

func (s *scene) describe(r *row, d *difference) {
	s.kind(r, d)
	s.place(r, d)
	s.values(r, d)
	s.asked(r, d)
}

// kind has the figures of what happened.
func (s *scene) kind(r *row, d *difference) {
	nodes := d.b
	if len(nodes) == 0 {
		nodes = d.a
	}
	words, linked, bytes := 0, 0, 1
	for _, n := range nodes {
		words += len(n.read())
		linked += n.Linked
		bytes += len(n.Text)
	}
	was, now := strings.Count(d.was, " ")+1, strings.Count(d.now, " ")+1
	r.flag("kind added", d.Kind == Added)
	r.flag("kind removed", d.Kind == Removed)
	r.flag("kind link", d.Block == "link")
	r.flag("kind whole", d.whole)
	r.add("kind alike", float32(d.alike))
	r.add("size blocks", logOf(len(nodes)))
	r.add("size words", logOf(words))
	r.add("size was", logOf(was))
	r.add("size now", logOf(now))
	r.add("size share", float32(max(len(d.was), len(d.now)))/float32(s.sides[s.p.b].bytes[len(s.p.b.nodes)-1]+1))
	r.add("page differences", logOf(len(s.p.found)))
	r.add("page same", logOf(s.said[d.was+"\x00"+d.now]))
	r.add("page like", logOf(s.groups[nodes[0].tags]))
	r.add("link share", float32(linked)/float32(bytes))
	outside := false
	for _, n := range nodes {
		for _, link := range n.Links {
			u, err := url.Parse(link)
			outside = outside || err == nil && u.Host != "" && !strings.HasSuffix(u.Hostname(), s.host)
		}
	}
	r.flag("link outside", outside)
}

// place has the figures of where it is.
func (s *scene) place(r *row, d *difference) {
	n, on := d.node(), s.p.b
	if len(d.b) == 0 {
		on = s.p.a
	}
	l := s.sides[on]
	i, all := n.index, len(on.nodes)
	for _, part := range []string{"nav", "header", "footer", "aside", "dialog"} {
		r.flag("part "+part, n.Part == part)
	}
	r.flag("part main", strings.Contains(n.Path, "main") || strings.Contains(n.Path, "article"))
	for _, kind := range []Kind{KindHeading, KindItem, KindRow, KindTerm, KindButton, KindTitle, KindCode} {
		r.flag("element "+string(kind), n.Kind == kind)
	}
	last := n.Path[strings.LastIndexByte(n.Path, ' ')+1:]
	r.flag("element p", last == "p" || strings.HasPrefix(last, "p."))
	r.add("element level", float32(n.Level))
	r.add("element depth", float32(n.Depth))
	r.add("where in page", float32(i)/float32(all))
	r.add("where after title", float32(i-l.title)/float32(all))
	r.add("where from title", logOf(max(i-l.title, l.title-i)))
	r.flag("where above title", i < l.title)
	r.add("where levels to title", float32(on.nodes[l.title].Depth-l.titled[i]))
	r.add("where levels from title", float32(n.Depth-l.titled[i]))
	r.add("where with title", float32(l.titled[i])/float32(1+on.nodes[l.title].Depth))
	r.add("where with prose", float32(l.prosed[i])/float32(1+max(n.Depth, 1)))
	r.add("where levels to prose", float32(n.Depth-l.prosed[i]))
	r.flag("where behind", i > l.last)
	r.add("near words", over(l.words, i-4, i+4)/9)
	r.add("near linked", over(l.linked, i-4, i+4)/(1+over(l.bytes, i-4, i+4)))
	r.add("near words wide", over(l.words, i-15, i+15)/31)
	r.add("repeated path", logOf(l.paths[n.tags]))
	if n.Group == 0 {
		r.add("repeated group", 0)
	} else {
		r.add("repeated group", logOf(l.groups[n.Group]))
	}
	words := strings.FieldsFunc(n.Path, func(r rune) bool { return r == '.' || r == ' ' })
	for _, names := range classes {
		r.flag("class "+names[0], slices.ContainsFunc(names, func(name string) bool { return slices.Contains(words, name) }))
	}
}

// classes are words of classes that adverts, suggestions and banners often have. They are evidence like all else.
var classes = [][]string{
	strings.Fields("ad ads advert advertisement sponsored sponsor"), strings.Fields("related recommended similar also trending popular"),
	strings.Fields("promo promotion banner cta popup newsletter"),
}

// values has the figures of what the values are that differ.
func (s *scene) values(r *row, d *difference) {
	was, now := s.shapeOf(d.wasValue), s.shapeOf(d.nowValue)
	around := s.shapeOf(d.node().Text)
	for i, name := range shapeNames {
		of := shape(1) << i
		r.add("was and now "+name, bit(was&of)+2*bit(now&of))
		if i < 10 {
			r.add("around "+name, bit(around&of))
		}
	}
	r.flag("value of the day", isOfTime(d.now, s.c.after.At) || d.now == "" && isOfTime(d.was, s.c.before.At))
	r.flag("value of the day before", isOfTime(d.was, s.c.before.At))
	x, ok1 := numberIn(d.wasValue)
	y, ok2 := numberIn(d.nowValue)
	growth, size := float32(0), float32(-1)
	if ok1 && ok2 && x > 0 {
		growth, size = float32(max(-3, min(3, (y-x)/x))), float32(math.Log1p(x))
	}
	r.add("value growth", growth)
	r.add("value growth size", float32(math.Abs(float64(growth))))
	r.add("value size", size)
	r.flag("value grouped", strings.Contains(d.now, ",") && ok2 && y >= 1000)
	r.flag("value round", ok1 && ok2 && math.Mod(x, 5) == 0 && math.Mod(y, 5) == 0)
}

var shapeNames = strings.Fields("money percent date clock ago phone email version number decimal digits opaque state place names question")

func bit(s shape) float32 {
	if s != 0 {
		return 1
	}
	return 0
}
