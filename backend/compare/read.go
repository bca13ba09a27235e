package compare

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// ReadOptions is how extract must read a page for PageOf: all of it, with its structured data.
func ReadOptions(baseURL string) extract.Options {
	return extract.Options{BaseURL: baseURL, Structured: true, RemoveSelectors: []string{"script", "style", "noscript", "template", "svg", "iframe"}}
}

// Read reads a body of any type as PageOf wants it. Errors are those of extract.Read.
func Read(ctx context.Context, source extract.Source) (Page, error) {
	document, err := extract.Read(ctx, source, ReadOptions(source.URL))
	if err != nil {
		return Page{}, err
	}
	return PageOf(source.URL, document), nil
}

// PageOf makes what is kept of a page from what extract read of it with ReadOptions. What was extracted by an output_schema
// is put into Page.Data by the caller.
func PageOf(url string, document *extract.Document) Page {
	p := Page{
		URL: canonicalLink(url), Title: cutText(cleanText(document.Metadata.Title), labelBytesMax), Language: cutText(cleanText(document.Metadata.Language), 40),
	}
	if err := p.readBlocks(document.HTML); err != nil {
		// Its markup is beyond bounds: the text is still there.
		for line := range strings.SplitSeq(document.Text, "\n") {
			if text := cleanText(line); text != "" && len(p.Blocks) < blocksMax {
				p.Blocks = append(p.Blocks, Block{Kind: KindParagraph, Text: cutText(text, blockBytesMax)})
			}
		}
	}
	if p.Title != "" {
		for i := range p.Blocks {
			if p.Blocks[i].Under > 0 {
				p.Blocks[i].Under++
			}
		}
		p.Blocks = slices.Insert(p.Blocks, 0, Block{Kind: KindTitle, Text: p.Title})
	}
	if document.Structured != nil {
		p.readData(document.Structured.JSONLD)
	}
	if p.Error = p.softError(); p.Error != "" {
		p.Blocks = nil // they are of what it was instead
	}
	return p
}

// FailedPage is a page that could not be read.
func FailedPage(url, reason string) Page {
	return Page{URL: canonicalLink(url), Error: cutText(cleanText(reason), labelBytesMax)}
}

// dataNames are the properties of structured data that say something of the thing itself, and not of how it is doing.
var dataNames = setOf(`name headline price lowPrice highPrice priceCurrency availability startDate endDate eventStatus location softwareVersion version
	sku title baseSalary validThrough jobLocation employmentType streetAddress addressLocality telephone openingHours value minValue maxValue`)

const (
	dataDepthMax = 6
	dataMax      = 2_000
)

// readData makes blocks of structured data.
func (p *Page) readData(items []*extract.Item) {
	left := dataMax
	for _, item := range items {
		p.readItem(item, nil, &left)
	}
}

func (p *Page) readItem(item *extract.Item, path []string, left *int) {
	if item == nil || len(path) > dataDepthMax {
		return
	}
	for _, kind := range item.Types {
		switch kind {
		case "BreadcrumbList", "WebSite", "WebPage", "Organization", "ImageObject", "SearchAction", "Review", "AggregateRating", "InteractionCounter":
			return
		}
	}
	if name, ok := first(item.Properties["name"]).(string); ok && len(path) == 0 {
		path = append(slices.Clone(path), name)
	} else if len(item.Types) > 0 {
		path = append(slices.Clone(path), item.Types[0])
	}
	names := make([]string, 0, len(item.Properties))
	for name := range item.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range item.Properties[name] {
			if *left--; *left < 0 {
				p.Cut = true
				return
			}
			text := ""
			switch v := value.(type) {
			case *extract.Item:
				p.readItem(v, path, left)
			case string:
				text = v
			case json.Number:
				text = v.String()
			}
			if text = cutText(cleanText(text), labelBytesMax); text != "" && dataNames[name] {
				label := cutText(cleanText(strings.Join(append(slices.Clone(path), name), " ")), labelBytesMax)
				p.Blocks = append(p.Blocks, Block{Kind: KindData, Text: text, Label: label})
			}
		}
	}
}

func first(values []any) any {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}
