package terrace

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const museumSchema = `{"type":"object","properties":{"plein_tarif":{"type":"string"},"tarif_reduit":{"type":"string"},"gratuite":{"type":"string"},
"horaires":{"type":"array","items":{"type":"object","properties":{"jours":{"type":"string"},"heures":{"type":"string"}}}}}}`

// museum is what a museum says to its visitors, in French, on a blog system with a page builder.
func museum() *cs.Page {
	full := func(n *cs.Run) string { return cs.Since(n, "8,00 €", cs.At(3, "8,50 €")) }
	friday := func(n *cs.Run) string { return cs.Since(n, "10 h – 20 h", cs.At(23, "10 h – 21 h")) }
	free := func(n *cs.Run) string { return cs.Since(n, "moins de 18 ans", cs.At(38, "moins de 26 ans")) }
	return &cs.Page{
		Path: "/preparer-sa-visite/", Type: "visitor information", Schema: museumSchema,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"plein_tarif": full(n), "tarif_reduit": "5,00 €", "gratuite": free(n), "horaires": []any{
				map[string]any{"jours": "Mardi à jeudi", "heures": "10 h – 18 h"},
				map[string]any{"jours": "Vendredi", "heures": friday(n)},
				map[string]any{"jours": "Samedi et dimanche", "heures": "9 h 30 – 18 h 30"},
			}}
		},
		Render: func(n *cs.Run) string {
			el := func() string { return n.Hex(7) }
			at := now(n)
			date := p("%s %d %s %d", [...]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}[at.Weekday()], at.Day(),
				[...]string{"janvier", "février"}[at.Month()-1], at.Year())
			posts := cs.Each(cs.Some(n, 3, "Une ancre sortie de la vase", "Les haleurs du canal en photographies", "Comment on calfatait un chaland", "Portrait : Odile, restauratrice de cordages",
				"Le carnet d'un éclusier, 1911", "Dans les réserves avec les écoliers", "Le bief gelé de 1956"), func(s string) string {
				return p(`<article class="elementor-post post-%d"><h3 class="elementor-post__title"><a href="/journal/?p=%d">%s</a></h3><span class="elementor-post-likes">♥ %d</span></article>`,
					1000+n.IntN(8000), 1000+n.IntN(8000), s, 3+n.IntN(90))
			})
			return fill(museumHTML, "ver", num(1768200000+n.IntN(3000000)), "nonce", n.Hex(10), "e1", el(), "e2", el(), "e3", el(), "e4", el(), "date", date,
				"meteo", p("%d °C, %s", n.Calm.IntN(13)-2, cs.Pick(n.Calmly(), "éclaircies", "couvert", "pluie faible", "brouillard", "neige mouillée", "ensoleillé")),
				"full", full(n), "friday", friday(n), "free", free(n), "posts", posts, "visit", grouped(creeping(n, 148210, 60), " "),
				"notice", cs.Since(n, "", cs.At(9, `<div class="elementor-alert elementor-alert-warning" role="alert"><span class="elementor-alert-title">Salle des gabarits fermée</span>`+
					`<span class="elementor-alert-description">En raison de travaux d'éclairage, la salle 4 ne se visite pas. Le reste du parcours est ouvert.</span></div>`), cs.At(32, "")),
				"work", cs.Pick(n.Calmly(), "Gouvernail de péniche, chêne, vers 1880", "Lanterne d'écluse, fer-blanc", "Maquette du chaland « La Fauvette »", "Boîte à nœuds d'un maître de port",
					"Plaque émaillée du coche d'eau"),
				"letter", cs.Pick(n, "S'abonner à la lettre", "Recevoir la lettre", "Je m'abonne"), "photo", n.Hex(9),
				"quote", cs.Pick(n, "« Un petit musée qui sent bon le goudron. » Maëlle", "« Les enfants ne voulaient plus partir. » Karim", "« Un accueil charmant. » Famille Dubreuil"))
		},
	}
}

const museumHTML = `<!DOCTYPE html><html lang="fr-FR"><head><meta charset="UTF-8"><title>Préparer sa visite – Musée de la Batellerie de Montreval</title>
<link rel="stylesheet" href="https://batellerie-montreval.example/wp-content/themes/astrolabe/style.css?ver={{ver}}"><meta name="generator" content="WordPress">
<script>var ajax_object={"ajax_url":"/wp-admin/admin-ajax.php","nonce":"{{nonce}}"};</script></head>
<body class="wp-singular page-template-default page page-id-212 wp-theme-astrolabe elementor-default elementor-page elementor-page-212">
<a class="skip-link screen-reader-text" href="#content">Aller au contenu</a>
<div data-elementor-type="header" class="elementor elementor-17"><div class="elementor-element elementor-element-{{e1}} e-con-full"><p class="top-bar">{{date}} · Montreval : {{meteo}}</p></div>
<div class="elementor-widget-site-logo"><a href="/">Musée de la Batellerie</a></div><nav class="elementor-nav-menu--main" aria-label="Menu"><ul id="menu-1-{{e1}}" class="elementor-nav-menu">
<li class="menu-item menu-item-31"><a href="/le-musee/">Le musée</a></li><li class="menu-item menu-item-32 current-menu-item"><a href="/preparer-sa-visite/">Préparer sa visite</a></li>
<li class="menu-item menu-item-33"><a href="/expositions/">Expositions</a></li><li class="menu-item menu-item-34"><a href="/scolaires/">Scolaires</a></li>
<li class="menu-item menu-item-35"><a href="/journal/">Journal</a></li></ul></nav></div>
<div id="content" class="site-content"><main id="post-212" class="post-212 page type-page status-publish hentry"><header class="entry-header"><h1 class="entry-title">Préparer sa visite</h1></header>
<div class="entry-content"><div data-elementor-type="wp-page" class="elementor elementor-212">{{notice}}
<section class="elementor-section elementor-element elementor-element-{{e2}}" data-id="{{e2}}"><div class="elementor-container"><div class="elementor-column elementor-col-50">
<h2 class="elementor-heading-title">Horaires</h2><table class="tablepress tablepress-id-3" id="tablepress-3"><tbody><tr class="row-1"><td class="column-1">Lundi</td><td class="column-2">fermé</td></tr>
<tr class="row-2"><td class="column-1">Mardi à jeudi</td><td class="column-2">10 h – 18 h</td></tr><tr class="row-3"><td class="column-1">Vendredi</td><td class="column-2">{{friday}}</td></tr>
<tr class="row-4"><td class="column-1">Samedi et dimanche</td><td class="column-2">9 h 30 – 18 h 30</td></tr></tbody></table>
<p>Dernière entrée 45 minutes avant la fermeture. Le musée est fermé le 1er mai et le 25 décembre.</p></div>
<div class="elementor-column elementor-col-50"><h2 class="elementor-heading-title">Tarifs</h2><ul class="elementor-price-list"><li class="elementor-price-list-item">
<span class="elementor-price-list-title">Plein tarif</span><span class="elementor-price-list-separator"></span><span class="elementor-price-list-price">{{full}}</span></li>
<li class="elementor-price-list-item"><span class="elementor-price-list-title">Tarif réduit</span><span class="elementor-price-list-separator"></span><span class="elementor-price-list-price">5,00 €</span></li>
<li class="elementor-price-list-item"><span class="elementor-price-list-title">Groupes dès dix personnes</span><span class="elementor-price-list-price">4,00 € par personne</span></li>
<li class="elementor-price-list-item"><span class="elementor-price-list-title">Gratuit</span><span class="elementor-price-list-price">{{free}}</span></li></ul>
<p>Le tarif réduit est accordé aux étudiants, aux demandeurs d'emploi et aux bateliers à la retraite, sur présentation d'un justificatif.</p></div></div></section>
<section class="elementor-section elementor-element elementor-element-{{e3}}" data-id="{{e3}}"><h2 class="elementor-heading-title">Visites et ateliers</h2><div class="elementor-text-editor">
<p>Visite commentée chaque dimanche à 15 h, sans réservation.</p><p>L'atelier de matelotage a lieu le premier samedi du mois, de 14 h à 16 h, à partir de huit ans.</p></div>
<div class="wp-block-group oeuvre-du-jour"><h4>L'œuvre du jour</h4><p>{{work}}</p><img decoding="async" src="/wp-content/uploads/oeuvres/{{photo}}.jpg" alt=""></div></section>
<section class="elementor-section elementor-element elementor-element-{{e4}}"><h2 class="elementor-heading-title">Venir au musée</h2><p>Quai des Mariniers, 14 bis. Bus 3 et 7, arrêt Vieille-Écluse. En voiture, parking du
Champ-de-Foire à trois cents mètres.</p><p>Le rez-de-chaussée est accessible en fauteuil roulant ; un ascenseur dessert l'étage. Les chiens guides sont les bienvenus.</p></section>
<div class="elementor-widget-posts"><h2>À lire dans le journal</h2><div class="elementor-posts-container">{{posts}}</div></div></div></div></main>
<aside id="secondary" class="widget-area"><section class="widget widget_text"><p>{{quote}}</p></section><section class="widget widget_mailpoet"><form method="post"><input type="hidden" name="_wpnonce" value="{{nonce}}">
<input type="email" placeholder="Votre adresse"><button>{{letter}}</button></form></section></aside></div>
<footer class="site-footer"><p>Musée de la Batellerie, 14 bis quai des Mariniers, Montreval-sur-Ornelle. Téléphone 03 55 01 24 60</p><p>Vous êtes le {{visit}}e visiteur de ce site.</p>
<p><a href="/mentions-legales/">Mentions légales</a></p></footer>
<div id="cmplz-cookiebanner-container"><div class="cmplz-cookiebanner">Ce site utilise des cookies. <button>Accepter</button><button>Refuser</button></div></div>
<script src="/wp-includes/js/jquery/jquery.min.js?ver={{ver}}"></script></body></html>`
