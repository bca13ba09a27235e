package compare

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// pageDiff is the comparison of the blocks of one page.
type pageDiff struct {
	c             *comparison
	url           uint64
	host          string
	before, after []*node
	number        int
	content       int // bytes of content in after
	wide          bool
	loose         bool // one of the pages was cut: what is at its end cannot be told
	turnover      map[int]*turnover
	groupOf       map[int]int       // the group in after of one in before
	forms         map[uint64][2]int // how many texts of a form are under a heading, before and after
	// look is the last that was held against it, and stirred the members of lists in after that were not in all looks.
	look    *pageDiff
	stirred map[*node]bool
}

// turnover is how many members of a group came, went and stayed.
type turnover struct{ came, went, stayed, bytes int }

func (c *comparison) blocks(before, after *Page) {
	if slices.EqualFunc(before.Blocks, after.Blocks, sameBlock) {
		c.relevant = c.relevant || c.focus.isAnywhere(after)
		return
	}
	d := &pageDiff{c: c, url: hashOf(after.URL), number: c.compared, loose: before.Cut || after.Cut}
	if u, err := url.Parse(after.URL); err == nil {
		d.host = u.Hostname()
	}
	c.blocksOf = d
	d.before = nodesOf(before, c.lens(before, c.before.At), c.noise)
	d.after = nodesOf(after, c.lens(after, c.after.At), c.noise)
	for _, n := range d.after {
		if !n.isApart() {
			d.content += len(n.Text)
		}
	}
	total := 0
	for _, n := range d.after {
		total += len(n.Text)
	}
	d.wide = d.content*8 < total && d.content < 400
	c.relevant = c.relevant || c.focus.isAnywhere(after) || c.focus.isAnywhere(before)
	m := &matching{url: d.url, before: d.before, after: d.after, noise: c.noise}
	m.run()
	d.alias()
	d.groups()
	for _, n := range d.after {
		switch {
		case n.mate != nil:
			d.changed(n.mate, n)
		case !n.done:
			d.lone(n, Added)
		}
	}
	for _, n := range d.before {
		if n.mate == nil && !n.done {
			d.lone(n, Removed)
		}
	}
	d.moved()
}

func sameBlock(a, b Block) bool {
	return a.Text == b.Text && a.Label == b.Label && a.Kind == b.Kind && a.Under == b.Under && a.Noise == b.Noise && a.Part == b.Part &&
		a.Ordered == b.Ordered && a.Group == b.Group && slices.Equal(a.Links, b.Links) && slices.Equal(a.Cells, b.Cells)
}

func (c *comparison) lens(p *Page, at time.Time) *lens {
	return &lens{language: p.Language, at: at, watched: c.focus.words, focus: c.focus}
}

// alias has places under an edited heading keep what was learned of them.
func (d *pageDiff) alias() {
	for _, n := range d.after {
		if n.Kind == KindHeading && n.mate != nil && n.text != n.mate.text {
			d.c.noise.alias(n.mate.inner(), n.inner())
		}
	}
}

// groups counts what came and went in lists.
func (d *pageDiff) groups() {
	d.turnover, d.groupOf = map[int]*turnover{}, map[int]int{}
	byPath := map[uint64]int{}
	for _, n := range d.after {
		if n.Group == 0 {
			continue
		}
		byPath[mix(n.path, hashOf(n.Form))] = n.Group
		if n.mate != nil && n.mate.Group != 0 {
			d.groupOf[n.mate.Group] = n.Group
		}
	}
	for _, n := range d.before {
		if n.Group != 0 && d.groupOf[n.Group] == 0 {
			d.groupOf[n.Group] = byPath[mix(n.path, hashOf(n.Form))]
		}
		if n.Group != 0 && n.mate == nil && !n.done && d.groupOf[n.Group] != 0 {
			d.turn(d.groupOf[n.Group]).went++
		}
	}
	for _, n := range d.after {
		switch {
		case n.Group == 0:
		case n.mate != nil:
			t := d.turn(n.Group)
			t.stayed++
			t.bytes += len(n.Text)
		case !n.done:
			t := d.turn(n.Group)
			t.came++
			t.bytes += len(n.Text)
		}
	}
}

func (d *pageDiff) turn(group int) *turnover {
	if d.turnover[group] == nil {
		d.turnover[group] = &turnover{}
	}
	return d.turnover[group]
}

// kept reports whether a difference of a block is compared at all.
func (d *pageDiff) kept(n *node) bool {
	if n.Kind == KindImage || n.Noise != "" {
		return false
	}
	if n.isVersion() {
		return true
	}
	switch n.Part {
	case "":
		return true
	case "header":
		return d.wide || n.Kind == KindHeading && n.Level == 1
	case "aside", "outside":
		return d.wide || n.Kind == KindRow || n.Kind == KindTerm || isLabelled(n.Text) && n.Part == "aside" || n.Kind == KindHeading && n.Level == 1
	}
	return d.wide && n.Part != "nav" && n.Part != "dialog"
}

// isVersion reports whether a block beside the content is nothing but a version and is marked up as one: what the page tells of has it.
func (b *Block) isVersion() bool {
	if b.Part == "footer" || b.Part == "dialog" || len(b.Text) > 24 || !strings.Contains(strings.ToLower(b.Form), "version") {
		return false
	}
	versions := 0
	for _, t := range tokensOf(b.Text, "") {
		switch {
		case t.kind == tokenVersion:
			versions++
		case t.kind != tokenSign && t.lower != "v" && t.lower != "version" && t.lower != "release":
			return false
		}
	}
	return versions == 1
}

// isLabelled reports whether a text is a label with what is said of it: "Version: 2.1".
func isLabelled(text string) bool {
	label, value, ok := strings.Cut(text, ": ")
	return ok && len(label) <= 40 && len(value) <= 120 && value != "" && strings.Count(label, " ") <= 3 && !strings.ContainsAny(label, ".!?")
}

// changed compares two blocks that are the same one.
func (d *pageDiff) changed(a, b *node) {
	keptA, keptB := d.kept(a), d.kept(b)
	switch {
	case !a.seen && !b.seen, !keptA && !keptB:
		return
	case keptA == keptB:
	case a.likeness(b) >= alikeMin:
		return
	case keptB: // they only stand where the other one stood
		d.lone(b, Added)
		return
	default:
		d.lone(a, Removed)
		return
	}
	a.read()
	b.read()
	if a.text != b.text && (d.isDaily(a, b) || isBox(d.before, a) && isBox(d.after, b)) {
		return
	}
	if (a.text != b.text || a.label != b.label) && !isReordered(a, b) {
		var found candidate
		if d.texts(a, b, &found) {
			return
		}
		found.Block, found.Before, found.After = string(b.Kind), a.Text, b.Text
		d.note(a, b, &found)
	}
	if a.links != b.links {
		var found candidate
		d.links(a, b, &found)
		found.Before, found.After = strings.Join(a.Links, " "), strings.Join(b.Links, " ")
		d.note(a, b, &found)
	}
}

// note takes in a difference of two blocks that are the same one, if there is any.
func (d *pageDiff) note(a, b *node, found *candidate) {
	if found.Kind == "" {
		return
	}
	found.Page, found.Path, found.page, found.order = d.c.after.pageURL(d), d.pathOf(d.after, b), d.number, b.index
	found.in, found.a, found.b = d, a, b
	if !d.isInPlace(a, b) {
		for i := range found.spots {
			found.spots[i].own = nil
		}
	} else if found.Block != "link" && (b.words <= homeWordsMax || a.likeness(b) < alikeMin) {
		found.home = d.homeOf(b)
	}
	found.watched = d.c.focus.isOn(found, b)
	d.c.found = append(d.c.found, *found)
}

func (s *Snapshot) pageURL(d *pageDiff) string {
	for i := range s.Pages {
		if hashOf(s.Pages[i].URL) == d.url {
			return s.Pages[i].URL
		}
	}
	return ""
}

// texts finds where two texts differ, part by part where they have the same parts. It reports whether that is noise by what it
// looks like.
func (d *pageDiff) texts(a, b *node, found *candidate) bool {
	partsA, partsB := a.parts, b.parts
	if len(partsA) != len(partsB) {
		partsA, partsB = a.whole(), b.whole()
	}
	states, valued, today, now, other := false, false, d.isOfToday(b), d.isOfNow(b), a.likeness(b) < alikeMin
	gaps := d.gaps(b)
	for i := range partsA {
		before, after := d.pace(partsA[i].tokens, partsB[i].tokens)
		for _, h := range differences(before, after) {
			if !h.counts(before, after) || b.words >= 8 && h.isPresence(before, after) || d.isCreeping(b, h, before, after) || d.isDayCount(h, before, after) ||
				d.isPacedWeekday(h, before, after) ||
				today && !h.isFactual(before, after) || now && h.isCounted(before, after) {
				continue
			}
			found.Kind = Changed
			at := spot{
				values: valuesOf(h, before, after), was: meaningsOf(before, h.a0, h.a1), now: meaningsOf(after, h.b0, h.b1), block: gaps, places: gaps,
				counted: h.isCounted(before, after),
				text:    &textSpot{part: i, whole: len(a.parts) != len(b.parts), begin: h.b0, end: h.b1},
			}
			at.fact = at.isFact() || h.hasState(before, after) && max(h.a1-h.a0, h.b1-h.b0) <= stateWordsMax
			states, valued = states || h.hasState(before, after), valued || len(at.values) > 0
			if other {
				at.all = wholly(a.text, b.text)
			}
			if at.own = d.slot(b, i, h, after, h.isFactual(before, after)); at.own != nil {
				at.places = at.own
			}
			found.spots = append(found.spots, at)
		}
	}
	if found.Kind == "" {
		if a.label == b.label || b.Kind == KindItem {
			return false
		}
		found.Kind = Changed
		found.spots = []spot{{places: d.gaps(b), was: wholly(a.label), now: wholly(b.label)}}
	}
	lone := b.Kind != KindHeading && b.Kind != KindTitle && b.Group == 0
	if states || valued {
		return false
	}
	// The wording of a call to action, and an advert.
	return b.Kind == KindButton || lone && d.isAdvert(a) && d.isAdvert(b) && a.likeness(b) < 0.3
}

// whole is all of a block as one part.
func (n *node) whole() []part {
	if len(n.parts) == 1 {
		return n.parts
	}
	all := part{label: n.Label, text: n.Text}
	for i := range n.parts {
		all.tokens = append(all.tokens, n.parts[i].tokens...)
	}
	return []part{all}
}

// isAdvert reports whether a lone block looks like an advert: all of it is a link that leads to another site.
func (d *pageDiff) isAdvert(n *node) bool {
	if len(n.Links) == 0 || n.words > 25 {
		return false
	}
	for _, link := range n.Links {
		if isOwn(link, d.host) {
			return false
		}
	}
	return true
}

// links compares where the links of a block lead.
func (d *pageDiff) links(a, b *node, found *candidate) {
	same := map[string]int{}
	for _, link := range a.Links {
		same[steadyLink(link)]++
	}
	differ := len(a.Links) != len(b.Links)
	for _, link := range b.Links {
		link = steadyLink(link)
		if same[link] == 0 {
			differ = true
		}
		same[link]--
	}
	if !differ || isElsewhere(a.Links, b.Links, d.host) {
		return
	}
	found.Kind, found.Block = Changed, "link"
	places := []string{placeOf(d.url, b.path, b.label, b.text, 5)}
	found.spots = []spot{{places: places, own: places, was: wholly(a.links), now: wholly(b.links)}}
}

// isElsewhere reports whether links lead to the same pages of other sites, by other parameters: those are how adverts are counted.
func isElsewhere(before, after []string, host string) bool {
	if len(before) != len(after) {
		return false
	}
	for i := range before {
		a, _, _ := strings.Cut(before[i], "?")
		b, _, _ := strings.Cut(after[i], "?")
		if a != b || before[i] != after[i] && isOwn(after[i], host) {
			return false
		}
	}
	return true
}

func isOwn(link, host string) bool {
	u, err := url.Parse(link)
	return err != nil || u.Hostname() == "" || u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host)
}

// lone is a block that is in one of the runs alone.
func (d *pageDiff) lone(n *node, kind ChangeKind) {
	if !d.kept(n) || n.words == 0 && n.passes > 0 || n.passes > 0 && n.words <= 2 && n.Group == 0 && len(n.bag) <= 2 {
		return
	}
	if d.loose && n.index*10 > 9*len(d.side(kind)) {
		return
	}
	if n.Kind == KindButton && !n.hasState() {
		return
	}
	if n.Kind == KindParagraph && n.Group == 0 && d.isAdvert(n) {
		return
	}
	if d.hasDaily(n) {
		return
	}
	found := candidate{
		Change: Change{Page: d.c.after.pageURL(d), Kind: kind, Block: string(n.Kind), Path: d.pathOf(d.side(kind), n)}, page: d.number, order: n.index,
	}
	if kind == Added {
		found.After = n.Text
	} else {
		found.Before = n.Text
	}
	n.read()
	found.in, found.a = d, n
	if kind == Added {
		found.a, found.b = nil, n
	}
	found.spots = []spot{{places: d.gaps(n), was: wholly(n.text), now: wholly(n.text)}}
	if n.isMember() {
		found.spots[0].places = []string{n.membership(d.url)}
		if found.swap = d.swap(n); found.swap != nil {
			found.swap.read()
			found.home = d.betweenWhat(n, 20)
		}
	}
	found.watched = d.c.focus.isOn(&found, n)
	d.c.found = append(d.c.found, found)
}

// isMember reports whether a block comes and goes with others of its kind.
func (b *Block) isMember() bool { return b.Group != 0 && b.Kind != KindTerm }

func (d *pageDiff) side(kind ChangeKind) []*node {
	if kind == Removed {
		return d.before
	}
	return d.after
}

func (n *node) hasState() bool {
	for i := range n.parts {
		for j := range n.parts[i].tokens {
			if t := &n.parts[i].tokens[j]; isState(t.lower) || t.kind == tokenMoney || t.kind == tokenDate {
				return true
			}
		}
	}
	return false
}

// moved finds what changed its place in an order that means something.
func (d *pageDiff) moved() {
	orders := map[int][]*node{}
	var groups []int
	for _, n := range d.after {
		if n.Group != 0 && n.Ordered && n.mate != nil && n.mate.Ordered && d.kept(n) {
			if orders[n.Group] == nil {
				groups = append(groups, n.Group)
			}
			orders[n.Group] = append(orders[n.Group], n)
		}
	}
	for _, group := range groups {
		members := orders[group]
		stays := longestRise(members)
		for i, n := range members {
			if stays[i] || n.mate.Group != members[0].mate.Group {
				continue
			}
			found := candidate{
				Change: Change{Page: d.c.after.pageURL(d), Kind: Moved, Block: string(n.Kind), Path: d.pathOf(d.after, n), Before: n.Text, After: n.Text},
				page:   d.number, order: n.index, in: d, a: n.mate, b: n,
				spots: []spot{{places: []string{placeOf(d.url, n.path, n.text, 13)}, was: wholly(n.mate.text), now: wholly(n.text)}},
			}
			found.watched = d.c.focus.isOn(&found, n)
			d.c.found = append(d.c.found, found)
		}
	}
}

// longestRise reports which members are in the longest run that kept its order.
func longestRise(members []*node) []bool {
	tails, previous := []int{}, make([]int, len(members))
	for i, n := range members {
		at, _ := slices.BinarySearchFunc(tails, n.mate.index, func(j, target int) int { return members[j].mate.index - target })
		previous[i] = -1
		if at > 0 {
			previous[i] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, i)
		} else {
			tails[at] = i
		}
	}
	stays := make([]bool, len(members))
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = previous[i] {
			stays[i] = true
		}
	}
	return stays
}

// pathOf are the headings above a block and its label.
func (d *pageDiff) pathOf(nodes []*node, n *node) []string {
	var path []string
	if n.Label != "" && n.Label != n.Text {
		path = append(path, n.Label)
	}
	for at := n; len(path) < 8; {
		under := at.Under - 1
		if under < 0 || under >= at.index {
			break
		}
		at = nodes[under]
		path = append(path, cutText(at.Text, labelBytesMax))
	}
	slices.Reverse(path)
	return path
}

// isReordered reports whether two texts list the same things in another order: tags, or links in a line.
func isReordered(a, b *node) bool {
	if len(a.bag) != len(b.bag) || len(a.bag) < 2 || a.Ordered || a.Kind == KindHeading || a.Kind == KindTitle || a.Kind == KindCode || len(a.parts) > 1 && a.Kind == KindRow {
		return false
	}
	if headOf(a.Text) != headOf(b.Text) {
		return false
	}
	first, second := listedIn(a.Text), listedIn(b.Text)
	if len(first) < 3 && len(a.Links) >= 3 && len(b.Links) == len(a.Links) {
		first, second = strings.Fields(a.Text), strings.Fields(b.Text)
	}
	if len(first) < 3 || len(first) != len(second) {
		return false
	}
	slices.Sort(first)
	slices.Sort(second)
	return slices.Equal(first, second)
}

// headOf is what stands before the first colon.
func headOf(text string) string {
	head, _, _ := strings.Cut(text, ": ")
	if len(head) == len(text) {
		return ""
	}
	return head
}

// listedIn are the things that signs part in a text; what stands before a colon is left out.
func listedIn(text string) []string {
	if _, rest, ok := strings.Cut(text, ": "); ok {
		text = rest
	}
	items := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '·' || r == '|' || r == ';' || r == '•' || r == '#' })
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return slices.DeleteFunc(items, func(s string) bool { return s == "" })
}
