package markdown

import (
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
)

// Names for polishing's results for markdown and text, in attributes and elements that no page can write.
const (
	taskElement = "\x00task"
	taskMark    = "\x00mark"
	expansion   = "\x00expansion"

	mediaElement = "\x00media"
)

// isMedia reports whether an element is a link to a player or content from elsewhere.
func isMedia(n *html.Node) bool { return n.Type == html.ElementNode && n.Data == mediaElement }

func isTask(n *html.Node) bool { return n.Type == html.ElementNode && n.Data == taskElement }

// Polish makes a tree readable: formulas, code and footnotes become one element each, layout tables and controls are
// removed, players become links. Markdown and text are both written from it, so they agree.
func (p *Page) Polish() {
	root := p.Root
	p.notes.settle(root)
	p.polishTree(root)
	for _, note := range p.notes.written() {
		p.polishTree(note.body)
	}
}

func (p *Page) polishTree(root *html.Node) {
	settleMath(root, p.rawTeX)
	settleCode(root)
	w := &polisher{page: p, expanded: map[string]bool{}}
	for n := root; n != nil; {
		if n.Type == html.ElementNode {
			w.element(n, root)
		}
		n = dom.Next(n, root)
	}
	for _, n := range w.doomed {
		if n != root && n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}

// polisher walks over a tree once, and removes elements at the end.
type polisher struct {
	page     *Page
	doomed   []*html.Node
	expanded map[string]bool
}

func (w *polisher) element(n, root *html.Node) {
	switch n.DataAtom {
	case atom.Template, atom.Object, atom.Canvas, atom.Title, atom.Script, atom.Style, atom.Svg:
		w.doomed = append(w.doomed, n)
	case atom.Img:
		if src := dom.Attr(n, "src"); strings.TrimSpace(src) == "" || dom.HasScheme(src, "data") || dom.HasScheme(src, "blob") || isPixel(n) {
			w.doomed = append(w.doomed, n)
		}
	case atom.Noscript:
		dom.Rename(n, atom.Span, nil)
	case atom.Iframe, atom.Embed:
		w.embed(n)
	case atom.Video, atom.Audio:
		w.media(n)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n)
	case atom.Ul, atom.Ol, atom.Menu:
		adoptItems(n)
	case atom.Table:
		if isLayout(n) {
			flatten(n)
		}
	case atom.Li:
		w.task(n)
	case atom.Select:
		w.options(n)
	case atom.Cite:
		quote := n.Parent
		if quote != nil && quote.DataAtom == atom.Div {
			quote = quote.Parent
		}
		if quote != nil && quote.DataAtom == atom.Blockquote && n.NextSibling != nil {
			dom.Rename(n, atom.Div, nil) // the author, before what they wrote
		}
	case atom.Abbr, atom.Acronym:
		w.abbreviation(n)
	case atom.Span, atom.A:
		if dom.HasClass(n, editClasses) {
			w.doomed = append(w.doomed, n)
		}
	case atom.P, atom.Div:
		if dom.HasClass(n, labelledClasses) || strings.HasPrefix(dom.Attr(n, "class"), "admonitionHeading") {
			dom.Rename(n, atom.Summary, nil)
		}
	case atom.Sup:
		if text := strings.ToUpper(dom.Fold(dom.Text(n))); text == "TM" || text == "SM" {
			n.FirstChild.Data, n.FirstChild.Type = map[string]string{"TM": "™", "SM": "℠"}[text], html.TextNode
			for n.FirstChild.NextSibling != nil {
				n.RemoveChild(n.FirstChild.NextSibling)
			}
		}
	case atom.Textarea, atom.Datalist:
		if n != root {
			w.doomed = append(w.doomed, n)
		}
	}
}

// labelledClasses are those of the title line of a box, such as a warning.
var labelledClasses = dom.Words("admonition-title markdown-alert-title admonition-heading callout-title custom-block-title")

var editClasses = dom.Words("mw-editsection headerlink anchorjs-link hash-link zeroclipboard-container")

// permalinkMarks are the texts of headings' links to themselves.
const permalinkMarks = "¶#§🔗⚓∞ \u200b\ufe0f\u00a0[]"

// heading removes from a heading its link to itself, and bold marks, because headings are bold.
func (w *polisher) heading(h *html.Node) {
	for n := h.FirstChild; n != nil; n = dom.Next(n, h) {
		switch n.DataAtom {
		case atom.A:
			if id := w.page.references.Fragment(n); id == "" {
				continue
			}
			text := strings.ToLower(dom.Fold(dom.Visible(dom.Text(n))))
			if strings.Trim(text, permalinkMarks) == "" || text == "link" || text == "permalink" || text == "anchor" || text == "copy link" ||
				strings.HasPrefix(text, "permalink to ") || strings.HasPrefix(text, "link to this") || strings.HasPrefix(text, "direct link") {
				w.doomed = append(w.doomed, n)
				continue
			}
			dom.Rename(n, atom.Span, nil)
		case atom.B, atom.Strong:
			dom.Rename(n, atom.Span, nil)
		case atom.Button:
			if isOnly(n) {
				dom.Rename(n, atom.Span, nil) // the heading of a section that it opens
				continue
			}
			w.doomed = append(w.doomed, n)
		}
	}
}

// adoptItems moves content of a list outside of its items into the item before, or into a new one.
func adoptItems(list *html.Node) {
	var item *html.Node
	for child := list.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.DataAtom == atom.Li:
			item = child
		case child.Type == html.TextNode && strings.TrimSpace(child.Data) == "", child.Type == html.CommentNode, dom.IsInvisible(child):
		default:
			if item == nil {
				item = &html.Node{Type: html.ElementNode, DataAtom: atom.Li, Data: atom.Li.String()}
				list.InsertBefore(item, child)
			}
			list.RemoveChild(child)
			item.AppendChild(child)
			if child.Type == html.ElementNode && item.PrevSibling == nil && isBlock(child) && child.DataAtom != atom.Ul && child.DataAtom != atom.Ol {
				item = nil // a list without items: each block is one
			}
		}
		child = next
	}
}

// flatten makes blocks of a table's rows and cells.
func flatten(t *html.Node) {
	for _, row := range tableRows(t) {
		for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
			if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
				dom.Rename(cell, atom.Div, nil)
			}
		}
		dom.Rename(row, atom.Div, nil)
	}
	for child := t.FirstChild; child != nil; child = child.NextSibling {
		switch child.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption:
			dom.Rename(child, atom.Div, nil)
		}
	}
	dom.Rename(t, atom.Div, nil)
}

// task makes a mark of the checkbox that begins an item of a task list.
func (w *polisher) task(li *html.Node) {
	n := li.FirstChild
	for level := 0; n != nil && level < 3; {
		switch {
		case n.Type == html.TextNode && strings.TrimSpace(n.Data) == "", n.Type == html.CommentNode:
			n = n.NextSibling
			continue
		case n.DataAtom == atom.Input && dom.Attr(n, "type") == "checkbox":
			mark := "[ ]"
			if dom.HasAttr(n, "checked") {
				mark = "[x]"
			}
			n.DataAtom, n.Data, n.Attr = 0, taskElement, []html.Attribute{{Key: taskMark, Val: mark}}
			n.AppendChild(&html.Node{Type: html.TextNode, Data: mark + " "})
			return
		case n.DataAtom == atom.Label || n.DataAtom == atom.P || n.DataAtom == atom.Span:
			n = n.FirstChild
			level++
			continue
		}
		return
	}
}

// options makes text of a choice, unless it is as long as a list of all countries.
func (w *polisher) options(n *html.Node) {
	const most = 12
	var texts []string
	for option := range n.Descendants() {
		if option.DataAtom == atom.Option {
			if text := dom.Fold(dom.Text(option)); text != "" {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) == 0 || len(texts) > most {
		w.doomed = append(w.doomed, n)
		return
	}
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	dom.Rename(n, atom.Span, nil)
	n.AppendChild(&html.Node{Type: html.TextNode, Data: " " + strings.Join(texts, ", ") + " "})
}

// abbreviation adds the meaning of an abbreviation, the first time.
func (w *polisher) abbreviation(n *html.Node) {
	title, short := dom.Fold(dom.Attr(n, "title")), dom.Fold(dom.Text(n))
	if title == "" || len(title) > 200 || strings.EqualFold(title, short) || w.expanded[short] {
		return
	}
	w.expanded[short] = true
	n.Attr = append(n.Attr, html.Attribute{Key: expansion, Val: title})
}

// media makes a link of a player.
func (w *polisher) media(n *html.Node) {
	src := dom.Attr(n, "src")
	for child := n.FirstChild; child != nil && src == ""; child = child.NextSibling {
		if child.DataAtom == atom.Source {
			src = dom.Attr(child, "src")
		}
	}
	name := "Video"
	if n.DataAtom == atom.Audio {
		name = "Audio"
	}
	for _, attribute := range []string{"title", "aria-label"} {
		if title := dom.Fold(dom.Attr(n, attribute)); title != "" {
			name += ": " + title
			break
		}
	}
	w.link(n, src, name)
}

// link turns n into an element with a link, or removes it if there is no target.
func (w *polisher) link(n *html.Node, href, text string) {
	if !isLinkable(href) || dom.HasScheme(href, "about") || !looksLikeReference(href) {
		w.doomed = append(w.doomed, n)
		return
	}
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	n.DataAtom, n.Data, n.Attr = 0, mediaElement, nil
	a := &html.Node{Type: html.ElementNode, DataAtom: atom.A, Data: "a", Attr: []html.Attribute{{Key: "href", Val: href}}}
	a.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	n.AppendChild(a)
}

// players are the hosts whose frames are content of the page, with the names of their content.
var players = []struct{ host, name string }{
	{"youtube.com", "YouTube video"},
	{"youtube-nocookie.com", "YouTube video"},
	{"youtu.be", "YouTube video"},
	{"vimeo.com", "Vimeo video"},
	{"dailymotion.com", "Video"},
	{"twitch.tv", "Video"},
	{"ted.com", "Video"},
	{"wistia.net", "Video"},
	{"wistia.com", "Video"},
	{"loom.com", "Video"},
	{"bilibili.com", "Video"},
	{"rutube.ru", "Video"},
	{"tiktok.com", "Video"},
	{"spotify.com", "Audio"},
	{"soundcloud.com", "Audio"},
	{"podcasts.apple.com", "Podcast"},
	{"codepen.io", "CodePen"},
	{"codesandbox.io", "CodeSandbox"},
	{"jsfiddle.net", "JSFiddle"},
	{"stackblitz.com", "StackBlitz"},
	{"google.com/maps", "Map"},
	{"maps.google.com", "Map"},
	{"openstreetmap.org", "Map"},
	{"datawrapper.de", "Chart"},
	{"dwcdn.net", "Chart"},
	{"flourish.studio", "Chart"},
	{"docs.google.com", "Document"},
	{"figma.com", "Figma"},
	{"slideshare.net", "Slides"},
	{"speakerdeck.com", "Slides"},
	{"archive.org", "Archive"},
}

// embed makes a link of a frame with content from elsewhere; others are adverts, trackers and forms.
func (w *polisher) embed(n *html.Node) {
	src := dom.Attr(n, "src")
	u := w.page.references.Resolve(src)
	if u == nil || !links.IsWeb(u) {
		w.doomed = append(w.doomed, n)
		return
	}
	for _, player := range players {
		host, path, _ := strings.Cut(player.host, "/")
		if u.Hostname() != host && !strings.HasSuffix(u.Hostname(), "."+host) || !strings.HasPrefix(strings.TrimPrefix(u.Pathname(), "/"), path) {
			continue
		}
		name := player.name
		if title := dom.Fold(dom.Attr(n, "title")); title != "" && !strings.EqualFold(title, name) && !strings.HasSuffix(strings.ToLower(title), "player") {
			name += ": " + title
		}
		w.link(n, watchable(u, src), name)
		return
	}
	w.doomed = append(w.doomed, n)
}

// watchable is the page of a video whose player u is.
func watchable(u *whatwg.Url, src string) string {
	path := u.Pathname()
	switch {
	case strings.Contains(u.Hostname(), "youtube") && strings.HasPrefix(path, "/embed/") && !strings.HasPrefix(path, "/embed/videoseries"):
		return "https://www.youtube.com/watch?v=" + strings.TrimSuffix(strings.TrimPrefix(path, "/embed/"), "/")
	case u.Hostname() == "player.vimeo.com" && strings.HasPrefix(path, "/video/"):
		return "https://vimeo.com/" + strings.TrimPrefix(path, "/video/")
	case u.Hostname() == "open.spotify.com" && strings.HasPrefix(path, "/embed/"):
		return "https://open.spotify.com/" + strings.TrimPrefix(path, "/embed/")
	}
	return src
}

// isOrdinal reports whether superscript text only completes the number or word before it: 1st, XIXe, TM.
func isOrdinal(sup *html.Node) bool {
	switch strings.ToLower(dom.Fold(dom.Text(sup))) {
	case "st", "nd", "rd", "th", "er", "re", "e", "ème", "eme", "o", "a", "os", "as", "tm", "sm", "®", "™", "©", "℠":
		return true
	}
	return false
}
