package parish

import (
	"fmt"
	"strconv"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type act struct{ name, fee, refund string }

// clinic is the price list of a French dental practice, made with a page builder.
func clinic() *cs.Page {
	return &cs.Page{Path: "/tarifs", Type: "price list", Render: func(n *cs.Run) string {
		acts := []act{
			{"Consultation et bilan", "23,00 €", "60 %"},
			{"Détartrage, deux arcades", cs.Since(n, "28,92 €", cs.At(5, "29,40 €")), "60 %"},
			{"Carie sur une face", "26,97 €", "60 %"},
			{"Couronne céramique, molaire", "540,00 €", "en partie"},
			{"Gouttière de nuit", "310,00 €", "en partie"},
			{"Blanchiment, deux arcades", cs.Since(n, "390,00 €", cs.At(16, "420,00 €")), "aucun"},
			{"Implant et pilier", "1 150,00 €", "aucun"},
		}
		return fill(clinicHTML, "post", 40_000+n.IntN(9000), "ver", n.Hex(8), "nonce", n.Hex(10), "a", n.Hex(7), "b", n.Hex(7), "c", n.Hex(7), "d", n.Hex(7),
			"today", french(n), "ms", 180+n.IntN(900),
			"button", cs.Pick(n, "Prendre rendez-vous", "Réserver en ligne", "Je prends rendez-vous"),
			"rows", cs.Each(acts, func(a act) string {
				return fill(`<tr><td>{name}</td><td>{fee}</td><td>{refund}</td></tr>`, "name", a.name, "fee", a.fee, "refund", a.refund)
			}),
			"saturday", cs.Since(n, "fermé", cs.At(17, "9 h – 12 h 30")),
			"instalments", cs.Since(n,
				"Nous acceptons les chèques, les espèces et les cartes bancaires. Le tiers payant est possible pour les bénéficiaires de la complémentaire santé solidaire.",
				cs.At(29, "Nous acceptons les espèces et les cartes bancaires, mais plus les chèques. À partir de 300 €, le règlement peut se faire en trois fois sans frais.")),
			"reviews", counted(n, 214, 1), "opinion", cs.Pick(n, "Claire B. — « Accueil chaleureux et cabinet très propre. »",
				"Youssef — « Ma fille n'a plus peur du dentiste. »", "Mme Perrault — « Toujours à l'heure, c'est rare. »",
				"Bastien L. — « Explications claires avant chaque soin. »"),
			"views", counted(n, 6_830, 42),
			"blog", cs.Each(cs.Some(n, 3, "Bien choisir sa brosse à dents", "Cinq idées reçues sur le fluor", "Que manger après une extraction ?",
				"Le fil dentaire, comment s'en servir", "Dents de lait : quand s'inquiéter ?", "Le thé tache-t-il les dents ?"), func(s string) string {
				return fill(`<article class="elm-post elm-grid-item post-{id}"><h3 class="elm-post__title"><a href="/blog/?p={id}">{title}</a></h3>
<span class="elm-post-date">Lu {times} fois</span></article>`, "id", 1000+n.IntN(8000), "title", s, "times", 50+n.IntN(900))
			}))
	}}
}

// french is the date of a run as the French write it.
func french(n *cs.Run) string {
	today := day(n)
	weekdays := strings.Fields("dimanche lundi mardi mercredi jeudi vendredi samedi")
	months := strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
	number := strconv.Itoa(today.Day())
	if number == "1" {
		number = "1er"
	}
	return fmt.Sprintf("%s %s %s %d", weekdays[today.Weekday()], number, months[today.Month()-1], today.Year())
}

const clinicHTML = `<!DOCTYPE html>
<html lang="fr-FR"><head><meta charset="UTF-8"><title>Tarifs &#8211; Cabinet dentaire des Tilleuls</title>
<link rel="stylesheet" id="astral-theme-css" href="/wp-content/themes/astral/style.min.css?ver={ver}" media="all">
<link rel="stylesheet" href="/wp-content/uploads/elm/css/post-{post}.css?ver={ver}" media="all">
<script>var elmFrontendConfig={"nonce":"{nonce}","post":{"id":{post}}};</script></head>
<body class="page-template page page-id-{post} wp-embed-responsive elm-default elm-page elm-page-{post}">
<div class="site" id="page"><header id="masthead" class="site-header">
<div class="ast-topbar"><span class="ast-topbar-date">Nous sommes le {today}</span> <span class="ast-topbar-phone">05 55 01 47 22</span></div>
<div class="site-branding"><p class="site-title"><a href="/" rel="home">Cabinet dentaire des Tilleuls</a></p><p class="site-description">Montferrat-sur-Lère</p></div>
<nav class="main-navigation"><ul id="primary-menu" class="menu"><li id="menu-item-{post}" class="menu-item"><a href="/">Accueil</a></li>
<li class="menu-item"><a href="/equipe">L'équipe</a></li><li class="menu-item"><a href="/soins">Les soins</a></li>
<li class="menu-item current-menu-item"><a href="/tarifs">Tarifs</a></li>
<li class="menu-item"><a href="/blog">Blog</a></li></ul></nav><a class="ast-button" href="https://rdv.example/tilleuls?utm={nonce}">{button}</a></header>
<div id="content" class="site-content"><div data-elm-type="wp-page" data-elm-id="{post}" class="elm elm-{post}">
<section class="elm-section elm-top-section elm-element elm-element-{a}" data-id="{a}" data-element_type="section"><div class="elm-container">
<div class="elm-column elm-col-100"><div class="elm-widget-wrap"><div class="elm-element elm-element-{b} elm-widget elm-widget-heading" data-id="{b}">
<div class="elm-widget-container"><h1 class="elm-heading-title">Nos tarifs</h1></div></div>
<div class="elm-element elm-widget elm-widget-text-editor"><div class="elm-widget-container">
<p>Les honoraires ci-dessous sont ceux des soins les plus courants. Un devis écrit vous est remis avant tout traitement ; il est gratuit et valable six
mois.</p></div></div></div></div></div></section>
<section class="elm-section elm-element elm-element-{c}" data-id="{c}" data-element_type="section"><div class="elm-container"><div class="elm-column elm-col-66">
<div class="elm-widget-wrap"><div class="elm-widget elm-widget-table"><div class="elm-widget-container"><table class="tablepress" id="tablepress-4"><thead><tr>
<th>Acte</th><th>Honoraires</th><th>Remboursement</th></tr></thead><tbody>{rows}</tbody></table></div></div>
<div class="elm-widget elm-widget-text-editor"><div class="elm-widget-container">
<p>Les taux sont ceux de l'assurance maladie obligatoire. Votre mutuelle peut prendre en charge tout ou partie du reste.</p></div></div></div></div>
<div class="elm-column elm-col-33"><div class="elm-widget-wrap"><div class="elm-element elm-element-{d} elm-widget elm-widget-heading" data-id="{d}">
<h2 class="elm-heading-title">Horaires</h2></div><div class="elm-widget elm-widget-icon-list"><ul class="elm-icon-list-items">
<li><span class="elm-icon-list-text">Lundi, mardi, jeudi : 8 h 30 – 18 h 30</span></li><li><span class="elm-icon-list-text">Mercredi : 9 h – 17 h</span></li>
<li><span class="elm-icon-list-text">Vendredi : 8 h 30 – 16 h</span></li><li><span class="elm-icon-list-text">Samedi : {saturday}</span></li></ul></div>
<h2 class="elm-heading-title">Praticiens</h2><ul><li>Dr Hélène Vaugrenard</li><li>Dr Simon Aubrac</li></ul></div></div></div></section>
<section class="elm-section elm-element" data-element_type="section"><div class="elm-container"><div class="elm-widget-wrap"><h2 class="elm-heading-title">Règlement</h2>
<div class="elm-widget elm-widget-text-editor"><p>{instalments}</p><p>Un rendez-vous manqué sans nous avoir prévenus la veille peut être facturé 25 €.</p></div>
<h2 class="elm-heading-title">En cas d'urgence</h2><p>Le soir et le dimanche, appelez le 15 : le médecin régulateur vous indiquera le dentiste de garde.</p></div></div></section>
<section class="elm-section elm-element" data-element_type="section"><div class="elm-container"><div class="elm-widget elm-widget-testimonial elm-testimonial-{a}">
<p class="elm-testimonial-note">{reviews} avis sur Trouvedoc</p><blockquote class="elm-testimonial-content">{opinion}</blockquote></div></div></section>
</div><p class="post-views">Page vue {views} fois</p>
<aside id="secondary" class="widget-area"><section class="widget widget_search"><form role="search" method="get"><label for="s-{nonce}">Rechercher</label>
<input id="s-{nonce}" type="search" name="s"></form></section><section class="widget"><h2 class="widget-title">À lire sur le blog</h2>{blog}</section></aside></div>
<footer id="colophon" class="site-footer">
<p>12, allée des Tilleuls · <a href="/mentions-legales">Mentions légales</a> · <a href="/confidentialite">Confidentialité</a></p></footer></div>
<div class="cmplz-cookiebanner" id="cmplz-{nonce}" data-nosnippet="true"><div class="cmplz-title">Gérer le consentement</div>
<p>Nous utilisons des cookies pour mesurer l'audience du site.</p><button>Accepter</button><button>Refuser</button></div>
<!-- cached page generated by SpeedCache in 0.{ms} s --></body></html>`
