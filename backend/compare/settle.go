package compare

import (
	"slices"
	"strings"
)

// Look comes by pages once more, by their URLs in the snapshot, and reads them as they were read before. It leaves out what
// could not be read, and what is not the page itself.
type Look func(urls []string) []Page

// A page that seems to have changed is looked at so many times more, and a page that is met for the first time as well. What has two
// variants shows one of them five times in a row in one of sixteen runs. Reading fields may be a model's work: there are fewer looks.
const (
	looksMax      = 4
	fieldLooksMax = 1
)

// comparison is one of two runs under work.
type comparison struct {
	before, after Snapshot
	noise         *Noise
	options       Options
	query         *query
	dates         map[string]bool // fields of the schema that are dates
	pages         []*compared
	failed        []Failure
	unsettled     []string
	anew          []string // pages that were kept in another form
}

// compared is a page of this run against itself in the last.
type compared struct {
	url           string
	before, after *Page
	a, b          *side // nil where fields are compared
	found         []*difference
	looks         int
	unsettled     bool
	isNew         bool
}

// Compare says what changed between two runs, of which each page was read once. It takes noise into account; noise may be nil.
// Nothing has changed where before has no pages: it is the first run.
func Compare(before, after Snapshot, noise *Noise, options Options) Diff {
	return Settle(before, after, nil, noise, options)
}

// Settle says what changed between two runs, and looks again at what seems to have changed: what differs between looks of one run
// is not the thing changing but the page being made anew. It is noise, now and in later runs. look may be nil.
func Settle(before, after Snapshot, look Look, noise *Noise, options Options) Diff {
	if noise == nil {
		noise = &Noise{}
	}
	noise.sane()
	c := &comparison{before: before, after: after, noise: noise, options: options, query: queryOf(options), dates: dateFields(options.Schema)}
	c.pair()
	if look != nil {
		c.lookAgain(look)
	}
	c.learn()
	return c.diff()
}

// pair compares page by page.
func (c *comparison) pair() {
	for i := range c.before.Pages {
		if p := &c.before.Pages[i]; p.Error == "" && c.after.page(p.URL) == nil {
			c.pages = append(c.pages, &compared{url: p.URL, found: []*difference{lone(p, Removed)}})
		}
	}
	for i := range c.after.Pages {
		after := &c.after.Pages[i]
		before := c.before.page(after.URL)
		_, met := c.noise.Met[placeOf(hashOf(after.URL))]
		p := &compared{url: after.URL, before: before, after: after, isNew: !met}
		switch {
		case after.Error != "":
			if len(c.before.Pages) > 0 {
				c.failed = append(c.failed, Failure{after.URL, after.Error})
			}
			continue
		case before == nil:
			if len(c.before.Pages) > 0 {
				p.found = []*difference{lone(after, Added)}
			}
		case before.Data != nil && after.Data == nil:
			c.failed = append(c.failed, Failure{after.URL, "nothing was extracted"})
			continue
		case before.Error != "" && len(before.Blocks) == 0 && before.Data == nil:
			p.before = nil // there is nothing to compare it with
		case before.Data != nil:
			p.found = c.fields(before, after)
		case before.Form != after.Form:
			p.before = nil
			c.anew = append(c.anew, after.URL)
		default:
			p.a, p.b = sideOf(before), sideOf(after)
			align(p.a, p.b)
			p.found = find(p.a, p.b)
		}
		c.pages = append(c.pages, p)
		c.judge(p)
	}
	slices.SortStableFunc(c.pages, func(a, b *compared) int { return strings.Compare(a.url, b.url) })
}

// lone is a page that is in one run alone.
func lone(p *Page, kind ChangeKind) *difference {
	d := &difference{Change: Change{Kind: kind, Block: "page"}, trust: 1, isTold: true}
	name := p.Title
	if name == "" {
		name = p.URL
	}
	if kind == Added {
		d.After = name
	} else {
		d.Before = name
	}
	return d
}

// lookAgain looks at pages until what is left of the differences has stood all looks.
func (c *comparison) lookAgain(look Look) {
	for number := range looksMax {
		of, urls := map[string]*compared{}, []string(nil)
		for _, p := range c.pages {
			if c.isDoubtful(p, number) {
				of[p.url] = p
				urls = append(urls, p.url)
			}
		}
		if len(urls) == 0 {
			return
		}
		for _, second := range look(urls) {
			if p := of[second.URL]; p != nil && second.Error == "" && (p.after.Data == nil) == (second.Data == nil) {
				c.second(p, &second)
			}
		}
	}
}

// isDoubtful reports whether a page is to be looked at: one not met before, or one that seems to have changed.
func (c *comparison) isDoubtful(p *compared, number int) bool {
	if p.after == nil || p.unsettled || p.after.Data != nil && number >= fieldLooksMax {
		return false
	}
	return p.isNew || slices.ContainsFunc(p.found, func(d *difference) bool {
		return d.Block != "page" && !d.unstable && (d.isTold || c.options.Study)
	})
}

// second takes in another look at a page.
func (c *comparison) second(p *compared, second *Page) {
	p.looks++
	c.met(p.url)
	if p.after.Data != nil {
		c.secondFields(p, second)
		return
	}
	if p.b == nil {
		p.b = sideOf(p.after)
	}
	other := sideOf(second)
	has, had := map[uint64]int{}, map[uint64]int{}
	for i := range other.nodes {
		has[other.nodes[i].text]++
	}
	for i := range p.b.nodes {
		had[p.b.nodes[i].text]++
	}
	align(p.b, other)
	stands, reverted := false, false
	for _, d := range p.found {
		trusted := d.isTold
		switch {
		case d.Block == "page" || d.unstable:
		case d.isShown(has, had):
			stands = stands || trusted
		default:
			d.unstable = true
			reverted = reverted || trusted && p.looks == 1 && c.noise.past(d).varied == 0 && d.isBefore(has, had)
		}
	}
	for _, d := range find(p.b, other) {
		c.noise.vary(d)
	}
	if reverted && !stands && c.noise.flip(placeOf(hashOf(p.url))) {
		p.unsettled = true
		c.unsettled = append(c.unsettled, p.url)
	}
	c.judge(p)
}

func (c *comparison) met(url string) {
	if c.noise.Met == nil {
		c.noise.Met = map[string]int{}
	}
	c.noise.Met[placeOf(hashOf(url))] = c.noise.Runs
}

// isShown reports whether another look, which the page is aligned with, shows a difference. has and had count what blocks say there and in
// the first look.
func (d *difference) isShown(has, had map[uint64]int) bool {
	if d.Kind == Removed {
		return !slices.ContainsFunc(d.a, func(n *node) bool { return has[n.text] > had[n.text] })
	}
	for _, n := range d.b {
		switch {
		case n.mate == nil:
			return false
		case n.exact && d.Block == "link":
			return n.links == n.mate.links
		case n.exact:
		case d.Kind == Added:
			if _, common := differences(n.read(), n.mate.read()); 2*common < len(n.words) {
				return false
			}
		default:
			hunks, _ := differences(n.read(), n.mate.read())
			for _, h := range hunks {
				if h.a1 >= d.hunk.b0 && h.a0 <= d.hunk.b1 && (h.a0 < d.hunk.b1 || h.a1 > d.hunk.b0 || d.hunk.b0 == d.hunk.b1) {
					return false
				}
			}
		}
	}
	return true
}

// isBefore reports whether another look shows what the last run did in place of a difference.
func (d *difference) isBefore(has, had map[uint64]int) bool {
	return len(d.a) > 0 && !slices.ContainsFunc(d.a, func(n *node) bool { return has[n.text] <= had[n.text] }) ||
		len(d.a) == 0 && !slices.ContainsFunc(d.b, func(n *node) bool { return has[n.text] >= had[n.text] })
}

// learn takes in what the run showed of its pages.
func (c *comparison) learn() {
	compared := false
	for _, p := range c.pages {
		if p.before == nil || p.after == nil {
			continue
		}
		compared = true
		for _, d := range p.found {
			switch {
			case p.unsettled:
			case d.unstable:
				c.noise.vary(d)
			default:
				c.noise.change(d)
			}
		}
	}
	if compared {
		c.noise.Runs++
	}
	c.noise.bound()
}
