package borough

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// skin shows a subject after an introduction.
type skin func(s *answersite.Subject, intro string) string

var esc = answersite.Esc

// shownAs is a fact's value as markup: links for addresses.
func shownAs(f answersite.Fact) string {
	switch f.Value.Type {
	case answersite.Email:
		return fmt.Sprintf(`<a href="mailto:%s">%s</a>`, f.Value.Text, esc(f.Shown))
	case answersite.Phone:
		return fmt.Sprintf(`<a href="tel:%s">%s</a>`, strings.ReplaceAll(f.Value.Text, " ", ""), esc(f.Shown))
	case answersite.URL:
		return fmt.Sprintf(`<a rel="nofollow" href="%s">%s</a>`, f.Value.Text, esc(f.Shown))
	case answersite.String, answersite.Number, answersite.Date, answersite.Price, answersite.Boolean, answersite.Enum, answersite.List:
	}
	return esc(f.Shown)
}

// each writes a line for each fact.
func each(facts []answersite.Fact, format string) string {
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(strings.NewReplacer("{l}", esc(f.Label), "{v}", shownAs(f), "{p}", f.Prop).Replace(format))
	}
	return b.String()
}

func prose(s *answersite.Subject, intro string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<article class=\"post type-post\"><header class=\"entry-header\"><h1 class=\"entry-title\">%s</h1></header><div class=\"entry-content\"><p>%s",
		esc(s.Name), esc(intro))
	for i, f := range s.Facts {
		if i%3 == 2 {
			b.WriteString("</p>\n<p>")
		}
		b.WriteString(" " + strings.Replace(esc(f.Said), esc(f.Shown), shownAs(f), 1))
	}
	b.WriteString("</p></div></article>")
	return b.String()
}

func infobox(s *answersite.Subject, intro string) string {
	return `<div class="mw-body"><h1 class="firstHeading">` + esc(s.Name) + `</h1><div class="mw-parser-output"><table class="infobox vcard"><tbody><tr><th colspan="2" class="infobox-above">` +
		esc(s.Name) + `</th></tr><tr><td colspan="2" class="infobox-image"><img src="/img/1.jpg" alt=""><div class="infobox-caption">Seen in spring</div></td></tr>` +
		each(s.Facts, `<tr><th scope="row" class="infobox-label">{l}</th><td class="infobox-data">{v}<sup class="reference"><a href="#n1">[1]</a></sup></td></tr>`) +
		`</tbody></table><p><b>` + esc(s.Name) + `</b> ` + esc(strings.TrimPrefix(intro, s.Name+" ")) + `</p><h2><span class="mw-headline">History</span></h2>` +
		`<p>Records before 1700 were lost to a fire. Local historians have pieced together the rest from letters.</p></div></div>`
}

func product(s *answersite.Subject, intro string) string {
	var price string
	rest := make([]answersite.Fact, 0, len(s.Facts))
	for _, f := range s.Facts {
		if f.Value.Type == answersite.Price && price == "" {
			price = `<div class="product-single__price"><span class="visually-hidden">Regular ` + `price</span> <span class="money">` + esc(f.Shown) + `</span></div>`
			continue
		}
		rest = append(rest, f)
	}
	return `<nav class="breadcrumb"><a href="/">Home</a> › <a href="/collections/all">All</a> › <span>` +
		esc(s.Name) + `</span></nav><div class="product-single"><h1 class="product-single__title">` +
		esc(s.Name) + `</h1>` + price + `<form action="/cart/add"><label>Qty <input name="quantity" value="1"></label><button>Add to basket</button></form><div class="rte"><p>` + esc(intro) +
		`</p><ul>` + each(rest, `<li><strong>{l}</strong> {v}</li>`) + `</ul></div></div><section class="related"><h2>You may also like</h2>` +
		`<div class="grid-item"><a href="/x">Gift card</a> <span class="money">£25.00</span></div><div class="grid-item"><a href="/y">Tote bag</a> <span class="money">£9.95</span></div></section>`
}

func woo(s *answersite.Subject, intro string) string {
	var price string
	for _, f := range s.Facts {
		if f.Value.Type == answersite.Price {
			price = `<p class="price"><bdi>` + esc(f.Shown) + `</bdi></p>`
			break
		}
	}
	return `<div class="product type-product"><h1 class="product_title entry-title">` + esc(s.Name) + `</h1>` + price + `<div class="short-description"><p>` +
		esc(intro) +
		`</p></div><h2>Additional information</h2><table class="shop_attributes">` + each(s.Facts, `<tr><th>{l}</th><td><p>{v}</p></td></tr>`) + `</table></div>`
}

func definitions(s *answersite.Subject, intro string) string {
	return `<h1>` + esc(s.Name) + `</h1><p class="lead">` + esc(intro) + `</p><dl class="row">` + each(s.Facts, `<dt class="col-sm-3">{l}</dt><dd class="col-sm-9">{v}</dd>`) + `</dl>`
}

func summary(s *answersite.Subject, intro string) string {
	return `<h1 class="govuk-heading-l">` + esc(s.Name) + `</h1><p class="govuk-body">` + esc(intro) + `</p><dl class="govuk-summary-list">` +
		each(s.Facts, `<div class="govuk-summary-list__row"><dt class="govuk-summary-list__key">{l}</dt><dd class="govuk-summary-list__value">{v}</dd><dd class="govuk-summary-list__actions"></dd></div>`) + `</dl>`
}

func lines(s *answersite.Subject, intro string) string {
	return `<h1>` + esc(s.Name) + `</h1><p>` + esc(intro) + `</p><p>` + each(s.Facts, "<b>{l}:</b> {v}<br>\n") + `</p>`
}

func bullets(s *answersite.Subject, intro string) string {
	return `<h2 class="wp-block-heading">` + esc(s.Name) + `</h2><p>` +
		esc(intro) + `</p><h3>At a glance</h3><ul class="wp-block-list">` + each(s.Facts, "<li>{l} – {v}</li>\n") + `</ul>`
}

func tiles(s *answersite.Subject, intro string) string {
	return `<section class="hero"><h1>` + esc(s.Name) + `</h1><p>` + esc(intro) + `</p></section><div class="row stats">` +
		each(s.Facts, `<div class="col stat-tile"><div class="stat-value">{v}</div><div class="stat-label">{l}</div></div>`+"\n") + `</div>`
}

func grid(s *answersite.Subject, intro string) string {
	return `<h1>` + esc(s.Name) + `</h1><div class="intro">` + esc(intro) + `</div><div class="facts">` +
		each(s.Facts, `<div class="facts__item"><span class="facts__label">{l}</span><span class="facts__value">{v}</span></div>`+"\n") + `</div>`
}

func headings(s *answersite.Subject, intro string) string {
	return `<h1>` + esc(s.Name) + `</h1><p>` + esc(intro) + `</p>` + each(s.Facts, "<h3>{l}</h3>\n<p>{v}</p>\n")
}

func plainTable(s *answersite.Subject, intro string) string {
	return `<h1>` + esc(s.Name) + `</h1><p>` + esc(intro) + `</p><table class="table table-striped"><tbody>` + each(s.Facts, `<tr><td>{l}</td><td>{v}</td></tr>`+
		"\n") + `</tbody></table>`
}

func micro(s *answersite.Subject, intro string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<div itemscope itemtype="https://schema.org/%s"><h1 itemprop="name">%s</h1><p itemprop="description">%s</p>`, s.Kind, esc(s.Name), esc(intro))
	for _, f := range s.Facts {
		switch {
		case f.Value.Type == answersite.Price && f.Field != "revenue":
			fmt.Fprintf(&b, `<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="%s"><span itemprop="price" content="%s">%s</span></div>`,
				f.Value.Currency, f.Value.Text, esc(f.Shown))
		case f.Prop != "" && f.Value.Type != answersite.List:
			fmt.Fprintf(&b, `<p>%s <span itemprop="%s">%s</span></p>`, esc(f.Label), f.Prop, esc(f.Shown))
		default:
			fmt.Fprintf(&b, `<p>%s: %s</p>`, esc(f.Label), shownAs(f))
		}
	}
	return b.String() + `</div>`
}

// linked shows what schema.org has words for in a script only, and the rest in prose.
func linked(s *answersite.Subject, intro string) string {
	var b strings.Builder
	for i := range s.Facts {
		f := &s.Facts[i]
		if f.Prop == "" {
			b.WriteString(" " + esc(f.Said))
			continue
		}
		f.Shown = f.Value.Text
		if len(f.Value.Items) > 0 {
			f.Shown = f.Value.Items[0]
		}
	}
	return s.LD() + `<main><h1>` + esc(s.Name) + `</h1><p>` + esc(intro) + b.String() + `</p></main>`
}

// frame is a page of a host: its navigation, sidebar and footer.
func frame(host, title, body string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(host, "www."), ".example")
	head := `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>` + esc(title) + ` | ` + name + `</title></head><body>`
	switch len(name) % 4 {
	case 0:
		return head + `<nav class="navbar"><a class="navbar-brand" href="/">` + name + `</a><ul><li><a href="/news">News</a></li><li><a href="/about">About</a></li></ul></nav><div class="container">` + body +
			`</div><footer class="site-footer"><p>Proudly hosted in the county. Write to webmaster@` + host + `</p></footer></body></html>`
	case 1:
		return head + `<header><a href="/">` + name + `</a></header><div id="content" class="site-content"><main>` + body + `</main><aside id="secondary" class="widget-area"><section class="widget">` +
			`<h2>Recent posts</h2><ul><li><a href="/p1">A bridge is mended</a></li><li><a href="/p2">Ten walks for a rainy day</a></li></ul></section></aside></div><footer>© 2026 ` + name + `</footer></body></html>`
	case 2:
		return head + `<div class="wrapper"><div class="topbar">Open for orders on 01999 555000</div>` + body + `<div class="newsletter"><p>Join 4,000 readers of our letter</p><input type="email"></div></div></body></html>`
	}
	return head + `<div role="main">` + body + `</div><div class="footer"><ul><li><a href="/terms">Terms</a></li><li><a href="/cookies">Cookies</a></li></ul></div></body></html>`
}
