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
	KindItem      Kind = "item"      // of a list
	KindRow       Kind = "row"       // of a table
	KindTerm      Kind = "term"      // of a description list, or what is said of one
	KindCode      Kind = "code"
	KindButton    Kind = "button"
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
	// Form is the form of the blocks. Blocks of another form are not compared.
	Form int `json:"form,omitempty"`
	// Blocks are in the order of the page.
	Blocks []Block `json:"blocks,omitempty"`
	// Data is what was extracted by the monitor's output_schema; nil where there is none.
	Data json.RawMessage `json:"data,omitempty"`
	// Cut reports that there was more on the page than is kept.
	Cut bool `json:"cut,omitempty"`
}

// blocksForm is the present form of blocks.
const blocksForm = 2

// Block is a part of a page that says something by itself.
type Block struct {
	Kind Kind `json:"kind"`
	// Text is what is shown, with white space folded. The cells of a row are parted by " | ".
	Text string `json:"text"`
	// Under is the number of the heading that the block stands under, plus one; 0 for none.
	Under int `json:"under,omitempty"`
	// Level is that of a heading, 1–6.
	Level int `json:"level,omitempty"`
	// Label is what names the block among its like: the term, or the first cell of the row.
	Label string `json:"label,omitempty"`
	// Group is the number of the list or table that the block is in; 0 for none.
	Group int `json:"group,omitempty"`
	// Head is the number of the row with the headers of the columns, plus one; 0 for none.
	Head int `json:"head,omitempty"`
	// Links are where the block's links lead, in order, canonical.
	Links []string `json:"links,omitempty"`
	// Part is the part of the page beside its content: nav, header, footer, aside, dialog; "" for content.
	Part string `json:"part,omitempty"`
	// Path are the elements around the text, from the outside, with the words of their classes: "main div.card p.price". What looks
	// generated is cut from classes.
	Path string `json:"path,omitempty"`
	// Depth is the number of elements around the text, and Fork of those that are also around the block before.
	Depth int `json:"depth,omitempty"`
	Fork  int `json:"fork,omitempty"`
	// Linked is how many bytes of the text are in links.
	Linked int `json:"linked,omitempty"`
}

// Bounds of what is kept of a run.
const (
	pagesMax         = 500
	snapshotBytesMax = 16 << 20
)

// NewSnapshot puts the pages of a run in order, in at most 500 pages and 16 MiB. Of pages with the same URL the first is kept.
func NewSnapshot(at time.Time, pages ...Page) Snapshot {
	s := Snapshot{At: at.UTC(), Pages: slices.Clone(pages)}
	slices.SortStableFunc(s.Pages, func(a, b Page) int { return strings.Compare(a.URL, b.URL) })
	s.Pages = slices.CompactFunc(s.Pages, func(a, b Page) bool { return a.URL == b.URL })
	s.Pages = s.Pages[:min(len(s.Pages), pagesMax)]
	left := snapshotBytesMax
	for i := range s.Pages {
		p := &s.Pages[i]
		size := len(p.Data)
		for j := range p.Blocks {
			if size += p.Blocks[j].size(); size > left {
				p.Blocks, p.Cut = p.Blocks[:j:j], true
				break
			}
		}
		left -= min(size, left)
	}
	return s
}

func (b *Block) size() int {
	size := len(b.Text) + len(b.Label) + len(b.Path) + 100
	for _, link := range b.Links {
		size += len(link)
	}
	return size
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
		if old := before.page(p.URL); old != nil {
			reason := p.Error
			*p = *old
			p.Error = reason
		}
	}
	return kept
}

// page is the page with a URL, nil for none.
func (s *Snapshot) page(url string) *Page {
	at, found := slices.BinarySearchFunc(s.Pages, url, func(p Page, url string) int { return strings.Compare(p.URL, url) })
	if !found {
		return nil
	}
	return &s.Pages[at]
}
