package compare

import "encoding/json"

// Options is how snapshots are compared.
type Options struct {
	// Focus are words for what is watched ("price", "stock", "version"). Changes elsewhere are then in Diff.Other, unless
	// nothing on the pages has to do with the words. None: all counts.
	Focus []string
	// Schema is the monitor's output_schema, where there is one: it says what is a date among the fields.
	Schema json.RawMessage
}

// Diff is what changed between two snapshots.
type Diff struct {
	// Changed reports whether anything did that counts.
	Changed bool `json:"changed"`
	// Changes are what counts, Other what does not because it is not what is watched. Noise is in neither.
	Changes []Change `json:"changes"`
	Other   []Change `json:"other,omitempty"`
	// Failed are the pages that could not be compared in this run.
	Failed []Failure `json:"failed,omitempty"`
	// Unified is the same as text, in the form of diff -u, a line for each block.
	Unified string `json:"unified"`
	// Summary says it in words, in at most 500 bytes.
	Summary string `json:"summary"`
	// Unsettled are the URLs of pages of which some looks were as in the last run and some were not: they are to be compared
	// with the last run once more (Keep).
	Unsettled []string `json:"unsettled,omitempty"`
	// More is how many changes were left out.
	More int `json:"more,omitempty"`
}

// ChangeKind is what happened.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
	Moved   ChangeKind = "moved" // in an order that means something
)

// Change is one thing that changed.
type Change struct {
	// Page is the page's URL.
	Page string     `json:"page"`
	Kind ChangeKind `json:"kind"`
	// Path leads to it: the headings that it stands under and its label; for a field of the data its names.
	Path []string `json:"path,omitempty"`
	// Block is what kind of block it is; "page" for a page, "field" for a field of the data, "link" for where a link leads.
	Block  string `json:"block"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Values are the numbers, amounts and dates that differ.
	Values []ValueChange `json:"values,omitempty"`
}

// ValueChange is a value that differs in a changed block.
type ValueChange struct {
	// Type is number, money, percent, date, time or version.
	Type string `json:"type"`
	// Unit is the currency (ISO 4217) or the unit, where there is one.
	Unit string `json:"unit,omitempty"`
	// Old and New are in canonical form: decimal, or ISO 8601.
	Old string `json:"old"`
	New string `json:"new"`
	// Delta is New less Old, in decimal, where both are numbers; for dates it is in days.
	Delta string `json:"delta,omitempty"`
	// Percent is Delta in percent of Old, where Old is not 0.
	Percent *float64 `json:"percent,omitempty"`
}

// Failure is a page that could not be compared, and why.
type Failure struct {
	Page   string `json:"page"`
	Reason string `json:"reason"`
}

// changesMax bounds the changes of a Diff.
const changesMax = 200

// Compare says what changed between two runs, of which each page was read once. It takes noise into account; noise may be nil.
// Nothing has changed where before has no pages: it is the first run.
func Compare(before, after Snapshot, noise *Noise, options Options) Diff {
	return Settle(before, after, nil, noise, options)
}

func newComparison(before, after Snapshot, noise *Noise, options Options) *comparison {
	return &comparison{before: before, after: after, noise: noise, focus: focusOf(options.Focus), schema: dateFields(options.Schema)}
}

// comparison is a Compare under work.
type comparison struct {
	before, after Snapshot
	noise         *Noise
	focus         *focus
	schema        map[string]bool
	found         []candidate
	failed        []Failure
	unsettled     []string
	holding       []string // the URLs of pages that are held back
	compared      int
	// relevant reports whether anything on the pages has to do with the focus.
	relevant bool
	// blocksOf is the comparison of the blocks of the page that was last compared; nil where all were the same.
	blocksOf *pageDiff
}

// candidate is a difference that may count.
type candidate struct {
	Change

	// page and order put candidates in the order of the pages.
	page, order int
	// in is the comparison of blocks that found it, and a and b are the blocks before and after; nil where there is none.
	in      *pageDiff
	a, b    *node
	spots   []spot
	exact   bool // of extracted data
	watched bool
	quiet   bool // it is noise
	// home names the place of the block as a whole, where that is learned of, and swap is what stands, or stood, in the
	// other run where a member of a list does in one run alone.
	home []string
	swap *node
}

// spot is where a candidate differs. It has several names where any of them will do to know it again.
type spot struct {
	places []string
	// own are those of them that no other block has, by which it is learned how often the spot differs.
	own    []string
	values []ValueChange
	// block are names of the place of the block around it, and all what that said and says, where hardly anything of it stayed.
	block []string
	all   []meaning
	// was and now are what stood there, as hashes: of tokens, or of a whole.
	was, now []meaning
	// text is where it is in the texts of the two blocks; nil where it is not.
	text    *textSpot
	counted bool // numbers were replaced by numbers
	fact    bool // it is of an amount, a version, a date or a state
	quiet   bool // it is noise
}

// meaning is what something says, as a hash. valued reports that it is a number, an amount or the like.
type meaning struct {
	hash   uint64
	valued bool
	// named is a hash of a bare number with the word before it, which may be a name together: "Bakery 12". 0 for what is none.
	named uint64
}

func wholly(hashes ...uint64) []meaning {
	var out []meaning
	for _, hash := range hashes {
		out = append(out, meaning{hash: hash, valued: true})
	}
	return out
}

// pages compares page by page.
func (c *comparison) pages() {
	i, j := 0, 0
	for i < len(c.before.Pages) || j < len(c.after.Pages) {
		switch {
		case j >= len(c.after.Pages) || i < len(c.before.Pages) && c.before.Pages[i].URL < c.after.Pages[j].URL:
			c.lone(&c.before.Pages[i], Removed)
			i++
		case i >= len(c.before.Pages) || c.after.Pages[j].URL < c.before.Pages[i].URL:
			c.lone(&c.after.Pages[j], Added)
			j++
		default:
			c.page(&c.before.Pages[i], &c.after.Pages[j])
			i++
			j++
		}
	}
}

// lone is a page that is in one run alone.
func (c *comparison) lone(p *Page, kind ChangeKind) {
	if p.Error != "" {
		if kind == Added {
			c.failed = append(c.failed, Failure{p.URL, p.Error})
		}
		return
	}
	change := Change{Page: p.URL, Kind: kind, Block: "page"}
	if kind == Added {
		change.After = pageName(p)
	} else {
		change.Before = pageName(p)
	}
	c.found = append(c.found, candidate{
		Change: change, page: len(c.found), watched: true, exact: p.Data != nil,
	})
}

func pageName(p *Page) string {
	if p.Title != "" {
		return p.Title
	}
	return p.URL
}

// page compares a page that is in both runs.
func (c *comparison) page(before, after *Page) {
	if after.Error != "" {
		c.failed = append(c.failed, Failure{after.URL, after.Error})
		return
	}
	if before.Error != "" && len(before.Blocks) == 0 && before.Data == nil {
		return // there is nothing to compare it with
	}
	c.compared++
	c.blocksOf = nil
	if before.Data != nil && after.Data != nil {
		c.fields(before, after)
		return
	}
	if before.Data != nil {
		c.failed = append(c.failed, Failure{after.URL, "nothing was extracted"})
		return
	}
	c.blocks(before, after)
}
