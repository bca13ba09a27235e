package compare

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Kind is what a block of a page is.
type Kind string

// The kinds of blocks.
const (
	KindTitle     Kind = "title"     // of the page
	KindHeading   Kind = "heading"   // in the page
	KindParagraph Kind = "paragraph" // any text that is none of the others
	KindItem      Kind = "item"      // of a list, or a part of a card
	KindRow       Kind = "row"       // of a table
	KindTerm      Kind = "term"      // what is said of a term in a description list
	KindCode      Kind = "code"
	KindButton    Kind = "button"
	KindImage     Kind = "image" // its alternative text
	KindData      Kind = "data"  // a property of the page's structured data
)

// Snapshot is what is kept of a run: its pages, in canonical form and of bounded size. It is kept as JSON.
type Snapshot struct {
	// At is when the run read its pages.
	At time.Time `json:"at"`
	// Pages are in the order of their URLs, each URL once.
	Pages []Page `json:"pages"`
}

// Page is what is kept of a page.
type Page struct {
	// URL is canonical: without session ids and what only tracks.
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	// Language is a BCP 47 tag where the page declares one.
	Language string `json:"language,omitempty"`
	// Error is why the page could not be read, or what it was instead of itself: a captcha, a notice of maintenance, an
	// empty shell. The blocks are then those of an earlier run, or none.
	Error string `json:"error,omitempty"`
	// Blocks are in the order of the page.
	Blocks []Block `json:"blocks,omitempty"`
	// Data is what was extracted by the monitor's output_schema; nil where there is none.
	Data json.RawMessage `json:"data,omitempty"`
	// Cut reports that there was more on the page than is kept.
	Cut bool `json:"cut,omitempty"`
}

// Block is a part of a page that says something by itself.
type Block struct {
	Kind Kind `json:"kind"`
	// Text is what is shown, with white space folded.
	Text string `json:"text"`
	// Under is the number of the heading that the block stands under, plus one; 0 for none.
	Under int `json:"under,omitempty"`
	// Level is that of a heading, 1–6.
	Level int `json:"level,omitempty"`
	// Label is what names the block among its like: the row's header, the item's title, the term.
	Label string `json:"label,omitempty"`
	// Group is the number of the list, table or row of cards that the block is in; 0 for none.
	Group int `json:"group,omitempty"`
	// Ordered is whether the markup says that the group's order means something.
	Ordered bool `json:"ordered,omitempty"`
	// Links are where the block's links lead, in order, canonical.
	Links []string `json:"links,omitempty"`
	// Columns are the headers of a row's cells, and Cells the cells; Text then is all of it in one.
	Columns []string `json:"columns,omitempty"`
	Cells   []string `json:"cells,omitempty"`
	// Part is the part of the page beside its content: nav, header, footer, aside; "" for content.
	Part string `json:"part,omitempty"`
	// Form is what the block looks like in the markup: its element and classes, without what is generated.
	Form string `json:"form,omitempty"`
	// Noise says why the block is not compared by what it looks like: advert, recommendation, counter; "" for what is.
	Noise string `json:"noise,omitempty"`
}

// Bounds of what is kept of a run.
const (
	pagesMax         = 500
	snapshotBytesMax = 16 << 20
)

// NewSnapshot puts the pages of a run in order, in at most 500 pages and 16 MiB. Of pages with the same URL the first is kept.
func NewSnapshot(at time.Time, pages ...Page) Snapshot {
	s := Snapshot{At: at.UTC(), Pages: slices.Clone(pages)}
	s.order()
	s.Pages = s.Pages[:min(len(s.Pages), pagesMax)]
	left := snapshotBytesMax
	for i := range s.Pages {
		p := &s.Pages[i]
		size := len(p.Data)
		for j := range p.Blocks {
			if size += blockSize(&p.Blocks[j]); size > left {
				p.Blocks, p.Cut = p.Blocks[:j:j], true
				break
			}
		}
		left -= min(size, left)
	}
	return s
}

func blockSize(b *Block) int {
	size := 2*len(b.Text) + len(b.Label) + 100
	for _, link := range b.Links {
		size += len(link)
	}
	return size
}

func (s *Snapshot) order() {
	slices.SortStableFunc(s.Pages, func(a, b Page) int { return strings.Compare(a.URL, b.URL) })
	s.Pages = slices.CompactFunc(s.Pages, func(a, b Page) bool { return a.URL == b.URL })
}

// Keep is the snapshot to keep after a run, for the next to be compared with: pages that failed in it are as they were in
// before, so that what changed meanwhile is seen once they are back. Pages that were added or are gone are as in s.
func (s Snapshot) Keep(before Snapshot) Snapshot {
	kept := Snapshot{At: s.At, Pages: slices.Clone(s.Pages)}
	for i := range kept.Pages {
		p := &kept.Pages[i]
		if p.Error == "" {
			continue
		}
		at, found := slices.BinarySearchFunc(before.Pages, p.URL, func(q Page, url string) int { return strings.Compare(q.URL, url) })
		if found {
			reason := p.Error
			*p = before.Pages[at]
			p.Error = reason
		}
	}
	return kept
}
