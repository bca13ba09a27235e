package maincontent

import "golang.org/x/net/html"

// ChosenTexts returns the pieces of text that c has chosen, in the order of the page.
func (p *Page) ChosenTexts(c Choice) []*html.Node {
	var out []*html.Node
	for _, t := range p.texts {
		if t.block >= 0 && t.block < len(c.Blocks) && c.Blocks[t.block] {
			out = append(out, t.node)
		}
	}
	return out
}
