package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// nightTrain is a French railway's timetable of a night train.
func nightTrain() *cs.Page {
	return &cs.Page{Path: "/horaires/train-de-nuit-vaubourg", Type: "timetable", Render: func(n *cs.Run) string {
		stops := [][]string{
			{"Vaubourg-Centre", "–", cs.Since(n, "21:12", cs.At(9, "21:07"))},
			{"Saint-Elme", "22:03", "22:06"},
			{"Montferrand-les-Lacs", "23:41", "23:50"},
			{"Port-Clairac", cs.Since(n, "6:38", cs.At(20, "6:52")), "6:55"},
			{"Les Salines", "7:29", "–"},
		}
		return `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><title>Train de nuit Vaubourg – Les Salines | Rail Mistral</title><link rel="stylesheet" href="/build/app.` + n.Hex(8) + `.css"></head><body data-controller="app" data-session="` + n.Hex(26) + `">
<div class="c-cookies" role="dialog"><p>Nous utilisons des cookies pour mesurer l'audience.</p><button>` + cs.Pick(n, "Tout accepter", "J'accepte") + `</button><button>Continuer sans accepter</button></div>
<header class="o-header"><a class="o-header__logo" href="/">Rail Mistral</a><nav class="o-header__nav"><ul><li><a href="/billets?s=` + n.Hex(12) + `">Billets</a></li><li><a href="/horaires">Horaires</a></li><li><a href="/gares">Gares</a></li><li><a href="/aide">Aide</a></li></ul></nav><span class="o-header__heure">Il est ` + clock(n) + `</span></header>
<main class="o-page" id="contenu"><nav class="c-ariane"><a href="/">Accueil</a> › <a href="/horaires">Horaires</a> › Train de nuit</nav>
<h1 class="c-titre c-titre--1">Train de nuit Vaubourg – Les Salines</h1><p class="c-chapo">Le train de nuit relie la capitale au littoral en une nuit. Il circule ` + cs.Since(n, "le vendredi et le dimanche", cs.At(32, "le jeudi, le vendredi et le dimanche")) + ` et propose des couchettes, des compartiments pour deux et des sièges inclinables.</p>
<section class="c-bloc"><h2 class="c-titre c-titre--2">Horaires du train 5771</h2><table class="c-tableau"><caption>Valables jusqu'au 12 décembre 2026</caption><thead><tr><th>Gare</th><th>Arrivée</th><th>Départ</th></tr></thead><tbody>
` + cs.Each(stops, row) + `</tbody></table></section>
<section class="c-bloc"><h2 class="c-titre c-titre--2">Prix</h2><ul class="c-liste"><li>Siège inclinable : à partir de 29 €</li><li>Couchette en compartiment de six : à partir de ` + cs.Since(n, "49 €", cs.At(3, "54 €")) + `</li><li>Compartiment pour deux : à partir de 159 €</li></ul><p>Les enfants de moins de quatre ans voyagent gratuitement sur les genoux d'un adulte. Un vélo coûte 10 €, sur réservation.</p></section>
<section class="c-bloc"><h2 class="c-titre c-titre--2">À bord</h2><p>` + cs.Since(n, "Le petit-déjeuner est compris dans le prix des couchettes.", cs.At(34, "Le petit-déjeuner n'est plus servi ; une machine à café se trouve en voiture 14.")) + ` Chaque compartiment se ferme de l'intérieur, et une voiture est réservée aux femmes voyageant seules.</p><p>Les bagages doivent porter une étiquette avec votre nom. Les animaux de petite taille sont admis dans un panier.</p></section>
<section class="c-bloc"><h2 class="c-titre c-titre--2">Assistance</h2><p>Les personnes à mobilité réduite réservent une aide au plus tard 48 heures avant le départ, par téléphone au 05 55 01 02 03. Le service est gratuit dans toutes les gares de la ligne.</p><h3>Échanges et remboursements</h3><p>Un billet s'échange sans frais jusqu'à sept jours avant le départ, puis pour 15 € jusqu'à la veille. Il n'est plus remboursé le jour du voyage.</p><h3>Si le train est en retard</h3><p>À partir d'une heure de retard à l'arrivée, nous vous rendons un quart du prix, et la moitié à partir de deux heures. La demande se fait en ligne dans les soixante jours. Si vous manquez une correspondance, le personnel à bord vous inscrit dans le train suivant.</p>
<h3>Où trouver votre voiture</h3><p>Les sièges sont en tête, les couchettes au milieu et les compartiments pour deux en queue du train. Le quai est affiché vingt minutes avant le départ.</p></section>
<p class="c-vues">` + p("Page consultée %d fois cette semaine", 500+n.Calm.IntN(900)) + `</p></main>
<aside class="c-inspiration"><h2>Envie d'ailleurs ?</h2><ul>` + items(cs.Some(n, 3, "Un week-end à Orsane", "Les gorges du Valmont à pied", "Cinq marchés à découvrir", "Randonner en famille", "La route des moulins")) + `</ul><div class="pub" id="pub-` + n.Hex(6) + `">` + cs.Pick(n, "Assurance voyage Sérénis", "Louez une voiture avec Rouletto", "Hôtels Belle Étape") + `</div></aside>
<footer class="o-pied"><ul><li><a href="/mentions-legales">Mentions légales</a></li><li><a href="/accessibilite">Accessibilité : partiellement conforme</a></li><li><a href="/plan">Plan du site</a></li></ul><input type="hidden" name="_csrf_token" value="` + n.Hex(40) + `"><p>© Rail Mistral 2026</p></footer></body></html>`
	}}
}
