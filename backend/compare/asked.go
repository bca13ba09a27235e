package compare

import (
	"slices"
	"strings"
)

// asked has the figures of whether the query asks for it.
func (s *scene) asked(r *row, d *difference) {
	q, n, on := s.c.query, d.node(), s.p.b
	if len(d.b) == 0 {
		on = s.p.a
	}
	l := s.sides[on]
	differs := s.shapeOf(d.wasValue) | s.shapeOf(d.nowValue)
	before, after := "", ""
	if n.index > 0 {
		before = on.nodes[n.index-1].Text
	}
	if n.index+1 < len(on.nodes) {
		after = on.nodes[n.index+1].Text
	}
	if differs&shapeDecimal != 0 || differs&shapeNumber != 0 && (strings.ContainsAny(n.Text+before+after, "$€£¥₹") || topicsIn(n.Path+" "+n.Label)&shapeMoney != 0) {
		differs |= shapeMoney
	}
	r.flag("query whole", q.isWhole)
	r.flag("query new", q.isNew)
	r.flag("query text", q.isText)
	r.flag("query none", q.topics == 0)
	r.add("query subjects", logOf(len(q.subjects)))
	for i, name := range shapeNames {
		of := shape(1) << i
		if of&(shapeMoney|shapeState|shapeDate|shapeVersion|shapePhone|shapeEmail|shapeClock|shapePlace|shapeNumber) != 0 {
			r.add("query "+name, bit(q.topics&of))
		}
	}
	r.flag("query meets", differs&q.topics != 0)
	r.flag("query meets around", s.shapeOf(n.Text)&q.topics != 0)
	kinds := 0
	for _, kind := range []shape{shapeMoney, shapeState, shapeDate, shapeVersion, shapePhone, shapeEmail, shapeClock, shapePlace} {
		if q.topics&kind != 0 {
			kinds++
		}
	}
	r.add("query kinds", float32(kinds))
	heading := ""
	if n.Under > 0 && n.Under <= len(l.lower) {
		heading = l.lower[n.Under-1]
	}
	r.flag("named differing", topicsIn(d.was+" "+d.now)&q.topics != 0)
	r.flag("named block", topicsIn(n.Text+" "+n.Label)&q.topics != 0)
	r.flag("named path", topicsIn(strings.ReplaceAll(n.Path, ".", " "))&q.topics != 0)
	r.flag("named heading", topicsIn(heading)&q.topics != 0)
	r.flag("named near", topicsIn(before+" "+after)&q.topics != 0)
	s.matches(r, d, l, heading)
}

// matches has the figures of where the words are that the query is about, and which of the page's amounts it is.
func (s *scene) matches(r *row, d *difference, l *layout, heading string) {
	n := d.node()
	for _, where := range []struct {
		name  string
		texts []string
	}{
		{"differing", []string{strings.ToLower(d.was), strings.ToLower(d.now)}},
		{"block", []string{l.lower[n.index], strings.ToLower(n.Label)}},
		{"heading", []string{heading}},
		{"near", l.lower[max(0, n.index-4):min(len(l.lower), n.index+5)]},
		{"path", []string{n.Path}},
	} {
		most, beyond := s.matched(where.texts...)
		r.add("match "+where.name, most)
		r.add("match beyond "+where.name, beyond)
	}
	r.flag("match title", slices.Contains(s.titled, true))
	r.flag("match not title", slices.Contains(s.titled, false))
	money := 0
	if n.index > 0 && n.index < len(l.money) {
		money = l.money[n.index-1]
	}
	r.add("money before", logOf(money))
	if len(l.money) > 0 {
		r.add("money all", logOf(l.money[len(l.money)-1]))
	} else {
		r.add("money all", 0)
	}
	titled := 0
	if l.title > 0 {
		titled = max(0, money-l.money[l.title-1])
	}
	r.add("money after title", logOf(titled))
}

// remember has the figures of what is known of the place.
func (c *comparison) remember(r *row, d *difference, p *compared) {
	known := c.noise.past(d)
	r.add("past runs", float32(min(known.runs, 12)))
	r.add("past rate", float32(known.rate))
	r.add("past streak", float32(min(known.streak, 12)))
	r.add("past list", float32(known.list))
	r.add("past varied", logOf(known.varied))
	r.flag("past seen", known.seen)
	r.flag("past was seen", known.wasSeen)
	unstable := 0
	for _, other := range p.found {
		if other.unstable && other != d && len(other.b) > 0 && len(d.b) > 0 && other.b[0] == d.b[0] {
			unstable++
		}
	}
	r.add("looks beside", logOf(unstable))
}

// remembered brings what is known of the place up to date.
func (c *comparison) remembered(d *difference, p *compared) {
	r := row{}
	c.remember(&r, d, p)
	static := len(d.figures)
	if d.remembered {
		static -= len(r.values)
	}
	d.figures, d.remembered = append(d.figures[:static:static], r.values...), true
}
