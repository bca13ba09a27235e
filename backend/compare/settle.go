package compare

import (
	"slices"
	"strings"
	"time"
)

// Look comes by pages once more, by their URLs in the snapshot, and reads them as they were read before. It leaves out what
// could not be read, and what is not the page itself.
type Look func(urls []string) []Page

// A page that seems to have changed is looked at so many times more, unless that is over sooner, and a page that is met for
// the first time as well. What has two variants shows one of them five times in a row in one of sixteen runs. Reading fields may
// be a model's work: there are fewer looks.
const (
	looksMax      = 4
	fieldLooksMax = 1
)

// Keep is the snapshot to keep after a run, for the next to be compared with: Snapshot.Keep, but for the pages that are unsettled,
// which are as they were in before.
func (d *Diff) Keep(before, after Snapshot) Snapshot {
	kept := after.Keep(before)
	for i := range kept.Pages {
		if old := pageIn(before, kept.Pages[i].URL); old != nil && slices.Contains(d.Unsettled, old.URL) {
			kept.Pages[i] = *old
		}
	}
	return kept
}

// Settle says what changed between two runs, and looks again at what seems to have changed: what differs between looks of one run
// is not the thing changing but the page being made anew. It is noise, now and in later runs.
//
// A difference from the last run counts where all looks of this run have it. In a place that is known to vary it counts where,
// besides, what all looks have was never seen there before. look may be nil: then a difference counts unless it is known noise.
func Settle(before, after Snapshot, look Look, noise *Noise, options Options) Diff {
	if noise == nil {
		noise = &Noise{}
	}
	noise.sane()
	c := newComparison(before, after, noise, options)
	if len(before.Pages) > 0 {
		c.pages()
	}
	for i := range c.found {
		c.found[i].judge(noise)
	}
	if look != nil {
		c.lookAgain(look)
	}
	if c.compared > 0 {
		whole := len(c.failed) == 0 && len(c.unsettled) == 0
		held := c.hold()
		noise.learn(c.found, whole)
		for _, url := range c.holding {
			c.unsettle(url)
		}
		if whole || len(held) > 0 {
			noise.Held = held
		}
	}
	return c.diff()
}

// stir notes which members of lists were not in another look.
func (d *pageDiff) stir(between *pageDiff) {
	if d.stirred == nil {
		d.stirred = map[*node]bool{}
	}
	for _, n := range d.after {
		if n.isMember() && between.before[n.index].mate == nil {
			d.stirred[n] = true
		}
	}
}

// rotates reports whether half the members of a list were not in all looks, or more: it is drawn anew for each.
func (d *pageDiff) rotates(group int) bool {
	members, stirred := 0, 0
	for _, n := range d.after {
		if n.Group == group && group != 0 && n.isMember() {
			members++
			if d.stirred[n] {
				stirred++
			}
		}
	}
	return stirred > 0 && 2*stirred >= members
}

// lookAgain looks at pages until what is left of the differences has stood all looks.
func (c *comparison) lookAgain(look Look) {
	met := map[string]bool{}
	for number := range looksMax {
		urls := c.doubtful(number)
		if len(urls) == 0 {
			break
		}
		for _, second := range look(urls) {
			if !slices.Contains(urls, second.URL) || second.Error != "" {
				continue
			}
			first := pageIn(c.after, second.URL)
			if (first.Data == nil) != (second.Data == nil) {
				continue
			}
			// Later looks are not held against the last run: what the first ones taught says nothing of it.
			if !met[second.URL] && c.isAsBefore(&second) && c.noise.flip(first.URL) {
				c.unsettle(first.URL)
			} else {
				c.second(first, &second)
			}
			met[second.URL] = true
		}
	}
	if c.noise.Met == nil && len(met) > 0 {
		c.noise.Met = map[string]int{}
	}
	for url := range met {
		c.noise.Met[placeOf(hashOf(url))] = c.noise.Runs
	}
}

// doubtful are the URLs of the pages that are to be looked at: those not met before, and those that seem to have changed in what
// is watched.
func (c *comparison) doubtful(number int) []string {
	changed := map[string]bool{}
	narrow := c.isNarrow()
	for i := range c.found {
		if f := &c.found[i]; !f.quiet && f.spots != nil && (f.watched || !narrow) {
			changed[f.Page] = true
		}
	}
	var urls []string
	for i := range c.after.Pages {
		p := &c.after.Pages[i]
		_, met := c.noise.Met[placeOf(hashOf(p.URL))]
		if p.Error == "" && (changed[p.URL] || !met) && (p.Data == nil || number < fieldLooksMax) {
			urls = append(urls, p.URL)
		}
	}
	return urls
}

func pageIn(s Snapshot, url string) *Page {
	for i := range s.Pages {
		if s.Pages[i].URL == url {
			return &s.Pages[i]
		}
	}
	return nil
}

// second takes in another look at a page.
func (c *comparison) second(first, second *Page) {
	l := &secondLook{between: c.onePage(first, second, c.after.At), unsettled: map[string]bool{}}
	for i := range l.between.found {
		for _, at := range l.between.found[i].spots {
			for _, place := range at.places {
				l.unsettled[place] = true
			}
		}
	}
	c.noise.vary(l.between.found)
	between := l.between.blocksOf
	for i := range c.found {
		if f := &c.found[i]; f.Page == first.URL && f.in != nil && between != nil && f.in.look != between {
			f.in.look = between
			f.in.stir(between)
		}
	}
	if before := pageIn(c.before, first.URL); before != nil {
		l.since = func() *comparison { return c.onePage(before, second, c.before.At) }
	}
	for i := range c.found {
		f := &c.found[i]
		if f.Page != first.URL || f.quiet || f.spots == nil {
			continue
		}
		for j := range f.spots {
			f.spots[j].quiet = f.spots[j].quiet || !l.has(f, &f.spots[j])
		}
		f.settle()
		l.replaced(f)
	}
}

// replaced has an item be removed that was taken for another one in its place, where that one is only there in the first look.
func (l *secondLook) replaced(f *candidate) {
	if !f.quiet || f.Kind != Changed || f.a == nil || !f.a.isAnother(f.b) {
		return
	}
	gone := *f
	gone.Kind, gone.After, gone.b = Removed, "", nil
	gone.spots = []spot{{places: []string{f.a.membership(f.in.url)}, was: wholly(f.a.text), now: wholly(f.a.text)}}
	gone.judge(l.between.noise)
	if !gone.quiet && l.between.blocksOf != nil && l.hasGone(&gone, &gone.spots[0]) {
		*f = gone
	}
}

// isAsBefore reports whether a page that seems to have changed is in another look as it was in the last run, but for known noise.
func (c *comparison) isAsBefore(second *Page) bool {
	before := pageIn(c.before, second.URL)
	if before == nil || !c.isStanding(second.URL) {
		return false
	}
	since := c.onePage(before, second, c.before.At)
	for i := range since.found {
		if since.found[i].judge(c.noise); !since.found[i].quiet {
			return false
		}
	}
	return true
}

// isStanding reports whether a page still seems to have changed.
func (c *comparison) isStanding(url string) bool {
	return slices.ContainsFunc(c.found, func(f candidate) bool { return f.Page == url && f.spots != nil && !f.quiet })
}

// unsettle leaves a page to the next run.
func (c *comparison) unsettle(url string) {
	c.unsettled = append(c.unsettled, url)
	for i := range c.found {
		if f := &c.found[i]; f.Page == url && f.spots != nil {
			for j := range f.spots {
				f.spots[j].quiet = true
			}
			f.settle()
		}
	}
}

// onePage compares two versions of a page, of which the first was read then, and leaves alone what is known.
func (c *comparison) onePage(before, after *Page, then time.Time) *comparison {
	one := &comparison{
		before: Snapshot{At: then, Pages: []Page{*before}}, after: Snapshot{At: c.after.At, Pages: []Page{*after}}, noise: c.noise, focus: c.focus, schema: c.schema,
	}
	one.page(before, after)
	return one
}

// secondLook is another look at a page, held against what was found in the first.
type secondLook struct {
	// between is the first look against this one.
	between *comparison
	// since is the last run against this look.
	since func() *comparison
	gone  *comparison
	// unsettled are the places that differ between the looks.
	unsettled map[string]bool
}

// has reports whether a difference from the last run is in this look as it was in the first.
func (l *secondLook) has(f *candidate, at *spot) bool {
	switch d := l.between.blocksOf; {
	case f.exact:
		return l.hasField(f, at)
	case d == nil: // the looks are the same
		return true
	case f.Kind == Removed:
		return l.hasGone(f, at)
	case f.Kind == Moved:
		return !slices.ContainsFunc(l.between.found, func(o candidate) bool { return o.Kind == Moved && o.a.Group == f.b.Group })
	default:
		n := d.before[f.b.index]
		if n.mate == nil {
			return false
		}
		n.read()
		n.mate.read()
		switch {
		case f.Kind == Added:
			return !f.in.rotates(f.b.Group) && (n.text == n.mate.text || n.likeness(n.mate) >= alikeMin)
		case at.text != nil:
			return l.stands(f, at, n)
		case f.Block == "link":
			return n.links == n.mate.links || wayOf(n.Block) == wayOf(n.mate.Block) && wayOf(f.a.Block) != wayOf(f.b.Block)
		}
		return n.label == n.mate.label
	}
}

// wayOf is where the links of a block lead but for the parameters, which may be others in each look.
func wayOf(b *Block) string {
	var out strings.Builder
	for _, link := range b.Links {
		way, _, _ := strings.Cut(link, "?")
		_, _ = out.WriteString(way)
		_ = out.WriteByte(' ')
	}
	return out.String()
}

// alikeMin is how much of a block that came has to be the same in another look.
const alikeMin = 0.5

// hasGone reports whether what was removed is gone in this look, too, from where nothing comes and goes by itself.
func (l *secondLook) hasGone(f *candidate, at *spot) bool {
	if !f.a.isMember() && slices.ContainsFunc(at.places, func(place string) bool { return l.unsettled[place] }) {
		return false
	}
	if f.a.isMember() && f.in.rotates(f.in.groupOf[f.a.Group]) {
		return false
	}
	if l.gone == nil {
		l.gone = l.since()
	}
	d := l.gone.blocksOf
	if d == nil {
		return false
	}
	mate := d.before[f.a.index].mate
	return mate == nil || f.a.isAnother(mate)
}

// hasField reports whether a field differs in this look as it did in the first.
func (l *secondLook) hasField(_ *candidate, at *spot) bool {
	return !slices.ContainsFunc(at.places, func(place string) bool { return l.unsettled[place] })
}

// textSpot is where in the text of a block a difference is: tokens of a part from begin to end, in place of those before.
type textSpot struct {
	part  int
	whole bool // part is all of the block
	begin int
	end   int
	// shaky are the tokens that were others in some look, and near reports that there is something beside them.
	shaky []bool
	near  bool
}

// stands takes in another look at the block of a spot, and reports whether the difference is there as well.
func (l *secondLook) stands(f *candidate, at *spot, n *node) bool {
	if n.text == n.mate.text {
		return true
	}
	s := at.text
	ours, theirs, begin, end := s.tokens(n)
	if s.shaky == nil {
		s.shaky = make([]bool, end-begin)
	}
	for _, h := range differences(ours, theirs) {
		if !h.counts(ours, theirs) || h.a1 < begin || h.a0 > end {
			continue
		}
		s.near = true
		for i := max(h.a0, begin); i < min(h.a1, end); i++ {
			s.shaky[i-begin] = true
		}
	}
	return !s.near || l.isLeft(f, at, ours[begin:end])
}

// isLeft reports whether enough of what is new is the same in all looks: what was not there before nor is known to vary, and is a
// third of the whole or a number.
func (l *secondLook) isLeft(f *candidate, at *spot, tokens []token) bool {
	was := map[uint64]bool{}
	for _, m := range at.was {
		was[m.hash] = true
	}
	// Words that only changed places in a text that varies are not new.
	for i := range f.a.parts {
		for j := range f.a.parts[i].tokens {
			if t := &f.a.parts[i].tokens[j]; t.kind == tokenWord && !isState(t.lower) {
				was[t.hash()] = true
			}
		}
	}
	firm := 0
	for i := range tokens {
		t := &tokens[i]
		isValued := tokenTypes[t.kind] != ""
		if at.text.shaky[i] || was[t.hash()] || !t.isFirm() || l.between.noise.knows(at, meaningAt(tokens, i)) {
			continue
		}
		firm++
		if isValued || isState(t.lower) {
			return true
		}
	}
	return firm > 0 && 3*firm >= len(tokens)
}

// tokens are those of the spot's part in both looks, and where the spot is among them.
func (s *textSpot) tokens(n *node) (ours, theirs []token, begin, end int) {
	if !s.whole && len(n.parts) == len(n.mate.parts) {
		return n.parts[s.part].tokens, n.mate.parts[s.part].tokens, s.begin, s.end
	}
	begin, end = s.begin, s.end
	if !s.whole {
		for i := range n.parts[:s.part] {
			begin += len(n.parts[i].tokens)
			end += len(n.parts[i].tokens)
		}
	}
	return n.whole()[0].tokens, n.mate.whole()[0].tokens, begin, end
}
