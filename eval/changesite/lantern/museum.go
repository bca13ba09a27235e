package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// museum is an exhibition's page, in French, of a small agency's own system.
func museum() *cs.Page {
	return &cs.Page{Path: "/expositions/faience", Type: "exhibition", Render: func(n *cs.Run) string {
		visits := []string{
			"Samedi 21 mars, 15 h : visite avec la commissaire",
			"Dimanche 5 avril, 11 h : visite en famille",
			cs.Since(n, "Jeudi 23 avril, 18 h 30 : visite à la lampe", cs.At(17, "Vendredi 24 avril, 18 h 30 : visite à la lampe")),
		}
		visits = append(visits, cs.Since(n, []string{}, cs.At(28, []string{"Mercredi 13 mai, 14 h : atelier d'émail pour enfants, 6 €"}))...)
		jours := []string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}
		return `<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><title>Terres bleues, la faïence de Montbrelle - Musée Aubertin</title>
<link rel="stylesheet" href="/build/app.` + n.Hex(8) + `.css"><script src="/build/runtime.` + n.Hex(8) + `.js" defer nonce="` + n.Hex(16) + `"></script></head>
<body class="expo expo--courante" data-turbo-session="` + n.Hex(12) + `">
<header class="entete"><a class="entete__logo" href="/"><span>Musée</span> Aubertin</a><nav class="menu" aria-label="Menu principal"><ul><li>
<a href="/expositions">Expositions</a></li><li><a href="/collections">Collections</a></li><li><a href="/infos">Infos pratiques</a></li><li>
<a href="/boutique">Boutique</a></li></ul></nav><p class="entete__jour">Nous sommes ` + p("%s, le %s", jours[int(today(n).Weekday())],
			today(n).Format("02/01/2006")) + `</p></header>
<main id="contenu"><article class="expo-fiche"><p class="sur-titre">Exposition temporaire</p><h1>Terres bleues, la faïence de Montbrelle</h1>
<div class="expo-fiche__dates"><p><time>` + cs.Since(n, "Du 14 février au 7 juin 2026", cs.At(10, "Du 14 février au 28 juin 2026")) + `</time></p>
<p>Galerie basse, niveau 0</p></div>
<figure><img src="/media/cache/large/faience-04.jpg?` + n.Hex(6) + `" alt="Un plat bleu et blanc au décor de hérons"><figcaption>Plat aux hérons, vers 1740</figcaption></figure>
<div class="texte"><p>Pendant un siècle, les fours de Montbrelle ont fourni les tables de toute la vallée. De cette production il reste peu : des assiettes
dépareillées, quelques fontaines, des carreaux remployés dans les cuisines des fermes.</p>
<p>L'exposition réunit ` + cs.Since(n, "cent douze pièces", cs.At(2, "cent dix-huit pièces")) + `, dont la moitié n'avait jamais quitté les familles. Elle suit
l'argile de la carrière au buffet, et donne à voir les gestes du tourneur, du peintre et du marchand.</p>
<p>Une salle est consacrée aux ratés de cuisson, que l'on jetait derrière l'atelier et que les fouilles de 2019 ont rendus au jour. On y touche, on y compare, on y
recolle.</p></div>
<section class="bloc"><h2>Visites et ateliers</h2><ul class="agenda">` + cs.Each(visits, li) + `</ul>
<p>Sur réservation à l'accueil, dans la limite de vingt personnes.</p></section>
<section class="bloc bloc--tarifs"><h2>Tarifs</h2><dl><dt>Plein tarif</dt><dd>` + cs.Since(n, "9 €", cs.At(30, "10 €")) + `</dd><dt>Tarif réduit</dt><dd>6 €</dd>
<dt>Moins de 18 ans</dt><dd>gratuit</dd><dt>Premier dimanche du mois</dt><dd>gratuit pour tous</dd></dl></section>
<section class="bloc"><h2>Horaires</h2><p>Tous les jours sauf le mardi, de 10 h à 18 h. Dernière entrée à 17 h 15. Le vestiaire est obligatoire pour les sacs à dos.</p></section>
` + cs.Since(n, "", cs.At(35, `<section class="bloc"><h2>Fermeture de la salle des fours</h2>
<p>À la suite d'un dégât des eaux, la salle des fours est fermée jusqu'à nouvel ordre. Les carreaux et les pièces ratées sont présentés dans le hall,
où l'entrée est libre.</p><p>Les billets déjà achetés restent valables et peuvent être remboursés à l'accueil.</p></section>
`)) + `<section class="bloc"><h2>Venir au musée</h2><p>La place du Four est à cinq minutes de la gare, par la rue des Tuiliers. Les voitures se garent au champ de
foire. Deux fauteuils roulants et des sièges pliants sont prêtés à l'accueil.</p></section>
<section class="bloc"><h2>Le catalogue</h2><p>Sous la direction de Solène Marquevault, 184 pages, cent soixante images en couleur. En vente à la boutique au prix de
29 €.</p></section>
<p class="actions"><a class="bouton" href="/billets?jeton=` + n.Hex(20) + `">` + cs.Pick(n, "Réserver un billet", "Prendre un billet", "Acheter en ligne") + `</a></p>
<p class="coeurs">` + p("%d personnes aiment cette exposition", 300+n.IntN(200)) + `</p></article>
<aside class="autres"><h2>Dans la boutique</h2><ul>` + cs.Each(cs.Some(n, 3, "Bol à oreilles", "Carnet de croquis", "Affiche du héron", "Torchon bleu",
			"Petit guide des émaux", "Carte postale, lot de six"), func(s string) string {
			return `<li><a href="/boutique/a` + n.Hex(5) + `">` + s + "</a></li>\n"
		}) + `</ul><h2>Ils en parlent</h2><p>` + cs.Pick(n, "« Une merveille » (L'Écho du Val)", "« À voir en famille » (Radio Brelle)",
			"« Du bleu plein les yeux » (La Gazette)") + `</p></aside></main>
<footer class="pied"><p>Musée Aubertin, 3 place du Four, Montbrelle</p><form action="/lettre"><input type="hidden" name="_csrf" value="` + n.Hex(32) + `">
<label>Lettre d'information</label><input type="email"><button>` + cs.Pick(n, "S'abonner", "Je m'inscris") + `</button></form>
<p>` + p("Il fait %d °C à Montbrelle", 4+n.Calm.IntN(14)) + `</p><p>` + p("Page servie à %s", clock(n)) + `</p></footer>
<div class="bandeau-cookies"><p>Ce site utilise des témoins de connexion pour mesurer sa fréquentation.</p><button>Tout accepter</button>
<button>Tout refuser</button></div></body></html>`
	}}
}
