package market

import (
	"fmt"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const timetableLayout = `<!DOCTYPE html>
<html lang="fr" data-build="[[build]]">
<head><meta charset="utf-8"><title>Ligne M — navette du marché | Transports de Valcombe</title>
<link rel="preload" as="style" href="/_astro/horaire.[[build]].css"><meta name="generator" content="Astral v4"></head>
<body><valcombe-bandeau><p role="note">[[banner]]</p></valcombe-bandeau>
<header class="entete"><a class="logo" href="/">Transports de Valcombe</a>
<nav aria-label="Principale"><a href="/lignes/">Lignes</a> <a href="/tarifs/">Tarifs</a> <a href="/agences/">Agences</a> <a href="/recrutement/">Nous rejoindre</a></nav>
<valcombe-heure><time datetime="[[iso]]">Il est [[clock]], [[day]]</time></valcombe-heure></header>
<div class="grille">
<main id="contenu" data-astral-cid-[[cid]]>
<nav class="fil" aria-label="Fil d'Ariane"><ol><li><a href="/">Accueil</a></li><li><a href="/lignes/">Lignes</a></li><li>Ligne M</li></ol></nav>
<h1>Ligne M, navette du marché</h1>
<p class="chapo">La navette relie le parc-relais des Tilleuls à la halle, les jours de marché, du mardi au samedi. Elle est accessible aux fauteuils et prend les caddies, mais pas les vélos.</p>
<p class="prochain" aria-live="polite">Prochain passage aux Tilleuls dans [[next]] min</p>
<section aria-labelledby="h-aller"><h2 id="h-aller">Vers la halle</h2>
<p class="validite">Horaires valables [[valid]].</p>
<div class="defile"><table class="horaire"><thead><tr><th scope="col">Arrêt</th><th scope="col">1re</th><th scope="col">2e</th><th scope="col">3e</th><th scope="col">4e</th><th scope="col">5e</th></tr></thead><tbody>[[rows]]</tbody></table></div></section>
<section aria-labelledby="h-retour"><h2 id="h-retour">Retour</h2><p>Départs de la halle toutes les vingt minutes de 8 h 40 à 13 h 20, puis à 14 h. Le trajet dure dix-huit minutes.</p></section>
<section aria-labelledby="h-tarif"><h2 id="h-tarif">Tarif</h2><dl><dt>Billet à l'unité</dt><dd>[[ticket]]</dd><dt>Carnet de dix</dt><dd>18,00 €</dd><dt>Moins de 12 ans</dt><dd>gratuit</dd><dt>Abonnés annuels</dt><dd>compris</dd></dl>
<p>Le billet est valable une heure, correspondances comprises. On l'achète auprès du conducteur ou aux bornes du parc-relais.</p></section>
<section aria-labelledby="h-bon"><h2 id="h-bon">Bon à savoir</h2><ul><li>[[note]]</li><li>Les jours fériés, la navette ne circule pas.</li><li>Les objets trouvés sont gardés huit jours à l'agence de la place Haute.</li></ul></section>
<p class="avis">Cette page vous a-t-elle servi ? <b>[[useful]]</b> voyageurs ont répondu oui.</p>
</main>
<aside class="cote"><section><h2>Météo à Valcombe</h2><p>[[weather]]</p></section>
<section><h2>À la une</h2><ul>[[news]]</ul></section>
<section class="pub"><p>[[advert]]</p></section>
<section><h2>Vélos en libre-service</h2><p>[[bikes]] vélos disponibles aux Tilleuls</p></section></aside>
</div>
<footer><p>Allo Valcombe : 0 555 41 60 60, du lundi au samedi de 7 h à 19 h. <a href="/mentions/">Mentions légales</a></p><p>Page produite le [[stamp]], nœud [[node]]</p></footer>
<dialog id="cookies-[[cid]]"><p>[[cookies]]</p><button>J'accepte</button><button>Je refuse</button></dialog>
<script type="module" src="/_astro/heure.[[build]].js"></script></body></html>`

// stop is a row of the timetable.
type stop struct {
	name  string
	times []string
}

func stops(n *cs.Run) []stop {
	list := []stop{
		{"Parc-relais des Tilleuls", strings.Fields("7.50 8.30 9.10 9.50 10.30")},
		{"Lycée Aubrac", []string{"7.54", cs.Since(n, "8.34", cs.At(6, "8.36")), "9.14", "9.54", "10.34"}},
		{"Clinique du Levant", strings.Fields("7.59 8.40 9.19 9.59 10.39")},
	}
	list = append(list, cs.Since(n, nil, cs.At(15, []stop{{"Cité des Potiers", strings.Fields("8.02 8.43 9.22 10.02 10.42")}}))...)
	return append(list, stop{"Pont Vieux", strings.Fields("8.04 8.45 9.24 10.04 10.44")}, stop{"Halle du marché", strings.Fields("8.08 8.49 9.28 10.08 10.48")})
}

func timetable() *cs.Page {
	valid := func(n *cs.Run) string {
		return cs.Since(n, "du 5 janvier au 3 juillet 2026", cs.At(38, "du 5 janvier au 28 août 2026"))
	}
	ticket := func(n *cs.Run) string { return cs.Since(n, "2,20 €", cs.At(23, "2,30 €")) }
	return &cs.Page{
		Path: "/lignes/m/", Type: "timetable",
		Schema: `{"type":"object","properties":{"valid":{"type":"string"},"ticket":{"type":"string"},"stops":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},
			"times":{"type":"array","items":{"type":"string"}}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			list := []any{}
			for _, s := range stops(n) {
				list = append(list, map[string]any{"name": s.name, "times": s.times})
			}
			return map[string]any{"valid": valid(n), "ticket": ticket(n), "stops": list}
		},
		Render: func(n *cs.Run) string {
			moment := now(n)
			weekday := []string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}[moment.Weekday()]
			return fill(timetableLayout, "build", n.Hex(8), "iso", moment.Format("2006-01-02T15:04:05Z"), "clock", moment.Format("15 h 04"), "day", weekday+moment.Format(" 02/01/2006"), "cid", n.Hex(7),
				"banner", cs.Pick(n, "L'appli Valcombe : vos bus dans la poche", "Téléchargez l'appli et suivez vos bus", "Vos bus en direct dans l'appli Valcombe"), "next", between(n, 1, 38), "valid", valid(n),
				"rows", cs.Each(stops(n), func(s stop) string {
					return fmt.Sprintf(`<tr><th scope="row">%s</th><td>%s</td></tr>`, s.name, strings.Join(s.times, "</td><td>"))
				}), "ticket", ticket(n),
				"note", cs.Since(n, "Le samedi, l'arrêt Pont Vieux est reporté devant la poste.", cs.At(28, "Le samedi, l'arrêt Pont Vieux est reporté quai des Tanneurs, à cent mètres.")),
				"useful", creeping(n, 310, 4), "weather", fmt.Sprintf("%s, %d° ce matin, vent %d km/h", cs.Pick(n.Calmly(), "Soleil", "Nuages", "Averses", "Brume"), 2+n.Calm.IntN(13), 5+n.Calm.IntN(40)),
				"news", cs.Each(cs.Some(n, 3, "Trois questions à une conductrice", "Le dépôt des Forges se visite", "Covoiturer, mode d'emploi", "La flotte passe au biogaz", "Dix ans du parc-relais en photos", "Lire dans le bus : vos conseils"), func(s string) string {
					return fill(`<li><a href="/actus/[[slug]]/?src=bloc-[[id]]">[[s]]</a></li>`, "slug", slug(s), "id", n.Hex(4), "s", s)
				}), "advert", cs.Pick(n, "Opticiens Mireval : la deuxième paire offerte", "Fromagerie Delorme, au fond de la halle", "Auto-école du Centre, code accéléré"), "bikes", between(n, 2, 14),
				"stamp", moment.Format("02/01/2006 à 15:04:05"), "node", cs.Pick(n, "web-a", "web-b", "web-c"), "cookies", cs.Pick(n, "Nous mesurons l'audience avec des cookies.", "Des cookies ? Ils nous aident à compter les visites."))
		},
	}
}
