package heldout

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

var esc = answersite.Esc

// frame is what surrounds the pages of a site.
type frame struct{ brand, menu, bottom, beside, lang string }

func (f frame) page(title, head, body string) string {
	if f.lang == "" {
		f.lang = "en-GB"
	}
	return `<!DOCTYPE html><html lang="` + f.lang + `"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` + esc(title) + " – " + esc(f.brand) + `</title>` + head +
		`</head><body><div id="top"><a class="logo" href="/">` + esc(f.brand) + `</a><ul class="menu">` + f.menu + `</ul></div><div class="layout"><div id="content"><article><header><h1>` + esc(title) + `</h1></header>` + body +
		`</article></div><div class="sidebar">` + f.beside + `</div></div><div id="bottom">` + f.bottom + `</div></body></html>`
}

// shape writes what is said of a subject.
type shape func(s *answersite.Subject) string

// twoUp is a table with two pairs in each row.
func twoUp(s *answersite.Subject) string {
	var b strings.Builder
	b.WriteString(`<table class="data">`)
	for i, f := range s.Facts {
		if i%2 == 0 {
			b.WriteString("<tr>")
		}
		fmt.Fprintf(&b, "<th>%s</th><td>%s</td>", esc(f.Label), anchor(f))
		if i%2 == 1 || i == len(s.Facts)-1 {
			b.WriteString("</tr>\n")
		}
	}
	return b.String() + "</table>"
}

// across is a table with the labels above the values.
func across(s *answersite.Subject) string {
	var head, row strings.Builder
	for _, f := range s.Facts {
		head.WriteString("<th>" + esc(f.Label) + "</th>")
		row.WriteString("<td>" + anchor(f) + "</td>")
	}
	return "<figure><table><tr>" + head.String() + "</tr><tr>" + row.String() + "</tr></table><figcaption>At a glance</figcaption></figure>"
}

// spans has labels and values beside each other without a mark between them.
func spans(s *answersite.Subject) string {
	var b strings.Builder
	for _, f := range s.Facts {
		fmt.Fprintf(&b, `<div class="line"><span class="lbl">%s</span> <span class="val">%s</span></div>`+"\n", esc(f.Label), anchor(f))
	}
	return `<section class="keyfacts">` + b.String() + `</section>`
}

// headed has a heading for each.
func headed(s *answersite.Subject) string {
	var b strings.Builder
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "<h3>%s</h3>\n<p>%s</p>\n", esc(f.Label), anchor(f))
	}
	return b.String()
}

// story is all in one breath.
func story(s *answersite.Subject) string {
	var said []string
	for _, f := range s.Facts {
		said = append(said, esc(f.Said))
	}
	half := len(said) / 2
	return "<p>" + strings.Join(said[:half], " ") + "</p>\n<p>" + strings.Join(said[half:], " ") + "</p>"
}

// dashed is a list with dashes.
func dashed(s *answersite.Subject) string {
	var b strings.Builder
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "<li><b>%s</b> – %s</li>\n", esc(f.Label), anchor(f))
	}
	return "<ul>" + b.String() + "</ul>"
}

// grid is a table made of roles.
func grid(s *answersite.Subject) string {
	var b strings.Builder
	for _, f := range s.Facts {
		fmt.Fprintf(&b, `<div role="row"><div role="rowheader">%s</div><div role="cell">%s</div></div>`+"\n", esc(f.Label), anchor(f))
	}
	return `<div role="table" aria-label="Facts">` + b.String() + `</div>`
}

// graph says what it can in a graph of JSON-LD, beside a neighbour that is not meant, and the rest in words.
func graph(s *answersite.Subject) string {
	own := strings.TrimSuffix(strings.TrimPrefix(s.LD(), `<script type="application/ld+json">`), `</script>`)
	return `<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"WebPage","name":"Page","inLanguage":"en"},{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"name":"Home"}]},` +
		own + `,{"@type":"` + s.Kind + `","name":"Somebody else entirely","telephone":"+41 55 000 00 00","offers":{"@type":"Offer","price":"1.00","priceCurrency":"CHF"}}]}</script>` + story(s)
}

// tagged is marked up with microdata on meta, time and link elements.
func tagged(s *answersite.Subject) string {
	var b strings.Builder
	for _, f := range s.Facts {
		value := anchor(f)
		switch {
		case f.Prop == "" || f.Prop == "offers" || f.Value.Type == answersite.List:
		case f.Value.Type == answersite.Date:
			value = fmt.Sprintf(`<time itemprop="%s" datetime="%s">%s</time>`, f.Prop, f.Value.Text, esc(f.Shown))
		default:
			value = fmt.Sprintf(`<b itemprop="%s">%s</b>`, f.Prop, esc(f.Shown))
		}
		fmt.Fprintf(&b, "<li>%s: %s</li>\n", esc(f.Label), value)
	}
	return `<div itemscope itemtype="http://schema.org/` + s.Kind + `"><meta itemprop="name" content="` + esc(s.Name) + `"><ul>` + b.String() + `</ul></div>`
}

// noted is a table whose values have marks of footnotes.
func noted(s *answersite.Subject) string {
	var b strings.Builder
	for i, f := range s.Facts {
		fmt.Fprintf(&b, `<tr><td>%s:</td><td>%s<sup><a href="#n%d">[%d]</a></sup></td></tr>`+"\n", esc(f.Label), anchor(f), i%2+1, i%2+1)
	}
	return "<table>" + b.String() + `</table><ol class="notes"><li id="n1">Own survey.</li><li id="n2">As reported to us.</li></ol>`
}

func anchor(f answersite.Fact) string {
	shown := esc(f.Shown)
	switch f.Value.Type {
	case answersite.Phone:
		return `<a href="tel:` + strings.ReplaceAll(shown, " ", "") + `">` + shown + `</a>`
	case answersite.Email:
		return `<a href="mailto:` + shown + `?subject=Hello">` + shown + `</a>`
	case answersite.URL:
		return `<a rel="nofollow" href="` + shown + `">` + shown + `</a>`
	default:
		return shown
	}
}
