package extract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// listDepthMax is how deep lists and quotations nest in text and markdown, where each level costs every line its
	// indentation.
	listDepthMax = 12
	// tableCellsMax is how large a table may be once its rows are filled up to the longest.
	tableCellsMax = 200_000
	// spanMax is how far a cell may span.
	spanMax = 100
	// spannedCellsMax is how many cells of a page may be made by spans.
	spannedCellsMax = 20_000
)

// newConverter makes a converter. They keep an error between uses, so each page has its own.
func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false),
			commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip)),
		strikethrough.NewStrikethroughPlugin(),
		// Aligned columns would pad each cell to the widest: a long cell in a long table costs their product.
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true),
			table.WithSkipEmptyRows(true), table.WithNewlineBehavior(table.NewlineBehaviorPreserve)),
	))
}

// markdownOf returns the markdown of the tree under root, and changes the tree.
func markdownOf(root *html.Node) (markdown string, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			markdown, err = "", fmt.Errorf("%w: writing markdown: %v", ErrTooComplex, caught)
		}
	}()
	tame(root)
	out, err := newConverter().ConvertNode(root)
	if err != nil {
		return "", fmt.Errorf("%w: writing markdown: %w", ErrTooComplex, err)
	}
	return string(out), nil
}

// tame makes the tree fit for conversion: without inline data, without targets that run as script, and without
// nesting and spans that would multiply its size.
func tame(root *html.Node) {
	var drop []*html.Node
	spanned := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Svg, atom.Template, atom.Object, atom.Canvas, atom.Audio, atom.Video, atom.Title:
			drop = append(drop, n)
		case atom.Img:
			if src := attr(n, "src"); src == "" || hasScheme(src, "data") || hasScheme(src, "blob") {
				drop = append(drop, n)
			}
		case atom.A:
			if href := attr(n, "href"); hasScheme(href, "javascript") || hasScheme(href, "vbscript") || hasScheme(href, "data") {
				rename(n, atom.Span)
			}
		case atom.Noscript:
			rename(n, atom.Div) // the converter would drop it
		case atom.Ul, atom.Ol, atom.Blockquote:
			if nesting(n) > listDepthMax {
				rename(n, atom.Div)
			}
		case atom.Td, atom.Th:
			spanned += tameSpans(n, spannedCellsMax-spanned)
		case atom.Table:
			if tableCells(n) > tableCellsMax {
				rename(n, atom.Div)
			}
		}
	}
	for _, n := range drop {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}

func rename(n *html.Node, name atom.Atom) {
	n.DataAtom, n.Data, n.Attr = name, name.String(), nil
}

// nesting is how many lists and quotations hold n, itself included. The tree's depth bounds the walk.
func nesting(n *html.Node) int {
	depth := 0
	for ; n != nil; n = n.Parent {
		switch n.DataAtom {
		case atom.Ul, atom.Ol, atom.Blockquote:
			depth++
		}
	}
	return depth
}

// tameSpans bounds a cell's spans to what is left of the page's allowance, and returns what it uses.
func tameSpans(cell *html.Node, left int) int {
	columns, rows := span(cell, "colspan"), span(cell, "rowspan")
	if columns*rows-1 > left {
		removeAttr(cell, "colspan")
		removeAttr(cell, "rowspan")
		return 0
	}
	return columns*rows - 1
}

// span reads a span and writes it back within bounds.
func span(cell *html.Node, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(attr(cell, name)))
	switch {
	case err != nil || n < 1:
		removeAttr(cell, name)
		return 1
	case n > spanMax:
		setAttr(cell, name, "1")
		return 1
	}
	return n
}

// tableCells is the size of a table whose rows are all as long as its longest. Nested tables have their own.
func tableCells(t *html.Node) int {
	rows, longest := 0, 0
	for n := t.FirstChild; n != nil; {
		switch n.DataAtom {
		case atom.Tr:
			rows++
			cells := 0
			for cell := n.FirstChild; cell != nil; cell = cell.NextSibling {
				if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
					cells += span(cell, "colspan")
				}
			}
			longest = max(longest, cells)
			n = afterNode(n, t)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			n = nextNode(n, t)
		default:
			n = afterNode(n, t)
		}
	}
	return rows * longest
}

var ignoredInURL = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// hasScheme reports whether a URL has a scheme, as browsers read it: leading space and control characters, and tabs
// and line breaks anywhere, do not count.
func hasScheme(ref, scheme string) bool {
	ref = strings.TrimLeftFunc(ref, func(r rune) bool { return r <= ' ' })
	ref = ignoredInURL.Replace(ref[:min(len(ref), 64)])
	return len(ref) > len(scheme) && strings.EqualFold(ref[:len(scheme)], scheme) && ref[len(scheme)] == ':'
}
