package devset

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// chrome is what a site puts around all of its pages.
type chrome struct {
	site, nav, foot, advert string
	lang                    string
}

// wrap makes a page of a heading and what is below it.
func (c chrome) wrap(title, head, body string) string {
	lang := c.lang
	if lang == "" {
		lang = "en"
	}
	return fmt.Sprintf(`<!doctype html>
<html lang="%s"><head><meta charset="utf-8"><title>%s | %s</title>%s</head>
<body><header><nav>%s</nav></header>
<main><h1>%s</h1>
%s
</main>
%s
<footer>%s</footer></body></html>`, lang, answersite.Esc(title), answersite.Esc(c.site), head, c.nav, answersite.Esc(title), body, c.advert, c.foot)
}

// layout writes facts as HTML.
type layout func(s *answersite.Subject) string

func infobox(s *answersite.Subject) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<table class="infobox"><caption>%s</caption><tbody>`, answersite.Esc(s.Name))
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", answersite.Esc(f.Label), cell(f))
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

func definitions(s *answersite.Subject) string {
	var b strings.Builder
	b.WriteString("<dl>")
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "<dt>%s</dt><dd>%s</dd>\n", answersite.Esc(f.Label), cell(f))
	}
	b.WriteString("</dl>")
	return b.String()
}

func labelled(s *answersite.Subject) string {
	var b strings.Builder
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "<p><strong>%s:</strong> %s</p>\n", answersite.Esc(f.Label), cell(f))
	}
	return b.String()
}

func bullets(s *answersite.Subject) string {
	var b strings.Builder
	b.WriteString("<ul class=\"facts\">")
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "<li>%s: %s</li>\n", answersite.Esc(f.Label), answersite.Esc(f.Shown))
	}
	b.WriteString("</ul>")
	return b.String()
}

func lines(s *answersite.Subject) string {
	var b strings.Builder
	b.WriteString("<p class=\"card\">")
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "%s: %s<br>\n", answersite.Esc(f.Label), answersite.Esc(f.Shown))
	}
	b.WriteString("</p>")
	return b.String()
}

// divided is what pages look like whose tables were made of boxes.
func divided(s *answersite.Subject) string {
	var b strings.Builder
	b.WriteString("<div class=\"specs\">")
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "<div class=\"row\"><div class=\"k\">%s</div><div class=\"v\">%s</div></div>\n", answersite.Esc(f.Label), answersite.Esc(f.Shown))
	}
	b.WriteString("</div>")
	return b.String()
}

func prose(s *answersite.Subject) string {
	var b strings.Builder
	for i, f := range s.Facts {
		if i%2 == 0 {
			b.WriteString("<p>")
		}
		b.WriteString(answersite.Esc(f.Said) + " ")
		if i%2 == 1 || i == len(s.Facts)-1 {
			b.WriteString("</p>\n")
		}
	}
	return b.String()
}

// mixed has the first facts in a table and the others in prose.
func mixed(s *answersite.Subject) string {
	half := (len(s.Facts) + 1) / 2
	first, second := *s, *s
	first.Facts, second.Facts = s.Facts[:half], s.Facts[half:]
	return infobox(&first) + prose(&second)
}

// microdata marks up what has a property; the rest is as in labelled.
func microdata(s *answersite.Subject) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<div itemscope itemtype="https://schema.org/%s"><h2 itemprop="name">%s</h2>`, s.Kind, answersite.Esc(s.Name))
	for _, f := range s.Facts {
		shown := answersite.Esc(f.Shown)
		switch {
		case f.Prop == "" || f.Value.Type == answersite.List:
		case f.Value.Type == answersite.Price:
			shown = fmt.Sprintf(`<span itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="%s">%s</span><meta itemprop="priceCurrency" content="%s"></span>`,
				f.Value.Text, shown, f.Value.Currency)
		default:
			shown = fmt.Sprintf(`<span itemprop="%s" content="%s">%s</span>`, f.Prop, answersite.Esc(f.Value.Text), shown)
		}
		fmt.Fprintf(&b, "<p>%s: %s</p>\n", answersite.Esc(f.Label), shown)
	}
	b.WriteString("</div>")
	return b.String()
}

// table is a data table.
func table(caption string, header []string, rows ...[]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table><caption>%s</caption><thead><tr>", answersite.Esc(caption))
	for _, cell := range header {
		fmt.Fprintf(&b, "<th>%s</th>", answersite.Esc(cell))
	}
	b.WriteString("</tr></thead><tbody>")
	for _, row := range rows {
		b.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(&b, "<td>%s</td>", answersite.Esc(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// cell is a value with its link, where it is one.
func cell(f answersite.Fact) string {
	switch shown := answersite.Esc(f.Shown); f.Value.Type {
	case answersite.Email:
		return `<a href="mailto:` + shown + `">` + shown + `</a>`
	case answersite.URL:
		return `<a href="` + shown + `">` + shown + `</a>`
	default:
		return shown
	}
}
