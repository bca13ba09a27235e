package quarter

import (
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// hire is the conditions of a car hire, in French, from a server that keeps its state in the page.
func hire() *cs.Page {
	return &cs.Page{Path: "/location/conditions.aspx", Type: "terms", Render: func(n *cs.Run) string {
		return form(n, p(`<div id="ctl00_cphCorps_pnlTexte" class="texte"><h1 class="titre">Conditions de location</h1>
<p class="chapo">Ces conditions valent pour toutes nos agences, à l’exception de celle de l’île de Brénac.</p>
<h2>1. Le conducteur</h2><p>Le conducteur est âgé d’au moins %s ans et possède son permis depuis deux ans. Un second conducteur est inscrit sans supplément ; chaque
conducteur suivant coûte 6 € par jour.</p>
<h2>2. Le dépôt de garantie</h2><p>%s</p>
<div class="pub" id="pub_%s"><p>%s</p></div>
<h2>3. Assurance et franchise</h2><p>La responsabilité civile et le vol sont compris. En cas de dommage, la franchise s’élève à :</p>
<table class="grille" cellspacing="0" id="ctl00_cphCorps_gvFranchise_%d"><tr><th>Catégorie</th><th>Franchise</th><th>Avec la formule Sérénité</th></tr><tr>
<td>A – citadine</td><td>700 €</td><td>150 €</td></tr><tr><td>B – compacte</td><td>%s</td><td>200 €</td></tr><tr><td>C – familiale</td><td>1 300 €</td><td>300 €</td></tr>
<tr><td>U – utilitaire</td><td>1 600 €</td><td>400 €</td></tr></table>
<h2>4. Kilométrage</h2><p>Le forfait comprend %s. Au-delà, chaque kilomètre est facturé 0,22 €. Les locations d’un mois comprennent 3 000 km.</p>
<h2>5. Carburant</h2><p>Le véhicule est remis avec le plein et rendu avec le plein. %sLes reçus de moins de 24 heures font foi.</p>
<h2>6. Restitution</h2><p>Un retard de moins de 45 minutes n’est pas facturé. Ensuite, une journée est due. Hors des heures d’ouverture, la clé se dépose dans la boîte à
gauche de la porte.</p>
<h2>7. Étranger</h2><p>Le véhicule peut franchir la frontière avec notre accord écrit, à demander trois jours avant le départ. Les ferries sont exclus. Les amendes et
péages restent à la charge du locataire ; leur traitement coûte 15 € par dossier.</p>
<h2>8. Annulation</h2><p>Gratuite jusqu’à 48 heures avant le départ, puis 40 %% du prix.</p>
<p class="avis">%d visiteurs ont lu cette page, %d sont en ligne.</p></div>`,
			cs.Since(n, "21", cs.At(10, "23")),
			cs.Since(n, "Une somme de 500 € est bloquée sur votre carte de crédit au départ. Elle est libérée au plus tard dix jours après le retour.",
				cs.At(21, "Au départ, nous prenons l’empreinte d’une carte de crédit ou de débit, pour 800 €. "+
					"La somme n’est pas débitée ; la réserve tombe cinq jours après le retour, si le véhicule est intact.")),
			n.Hex(8), cs.Pick(n, "Un week-end au soleil ? Les vols de Zéphyr Air", "Le café des voyageurs, livré chez vous", "Apprenez le portugais en trente jours",
				"Votre mutuelle en deux minutes"), n.IntN(1000),
			cs.Since(n, "900 €", cs.At(20, "1 100 €")),
			cs.Since(n, "250 km par jour", cs.At(30, "1 500 km par semaine")),
			cs.Since(n, "À défaut, nous facturons le carburant manquant et 18 € de service. ", cs.At(39, "")), counted(n, 51_200, 70), 3+n.IntN(40)))
	}}
}

// french is a date in full.
func french(t time.Time) string {
	weekdays := []string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}
	months := []string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}
	return p("%s %d %s %d", weekdays[t.Weekday()], t.Day(), months[t.Month()-1], t.Year())
}

// form is the frame of all pages of the hirer: one form, its hidden state, offers and the date.
func form(n *cs.Run, main string) string {
	return p(`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//FR" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="fr"><head id="ctl00_Head1"><meta charset="utf-8" /><title>Conditions de location - Auto Garance</title>
<link href="/WebResource.axd?d=%s&amp;t=%d" type="text/css" rel="stylesheet" /></head><body>
<form name="aspnetForm" method="post" action="conditions.aspx?sid=%s" id="aspnetForm"><div><input type="hidden" name="__VIEWSTATE" id="__VIEWSTATE" value="/wEPDwUK%s" />
<input type="hidden" name="__EVENTVALIDATION" value="/wEW%s" /></div>
<div id="entete"><a href="/default.aspx"><b>Auto Garance</b></a><span id="ctl00_lblDate">Nous sommes le %s, il est %s</span>
<span id="ctl00_lblMeteo">Garance-Ville : %d °C, %s</span></div>
<ul id="menu"><li><a href="/location/reserver.aspx">Réserver</a></li><li><a href="/location/vehicules.aspx">Véhicules</a></li><li>
<a href="/location/agences.aspx">Agences</a></li><li><a href="/location/conditions.aspx">Conditions</a></li><li><a href="/contact.aspx">Contact</a></li></ul>
<div id="fil"><a href="/default.aspx">Accueil</a> &gt; <a href="/location/default.aspx">Location</a> &gt; Conditions</div>
<div id="corps">%s</div>
<div id="droite"><div class="bloc"><h3>%s</h3><ul>%s</ul></div><div class="bloc"><h3>Idées de route</h3><ul>%s</ul></div><div class="bloc"><h3>Sondage</h3>
<p>Plutôt mer : %d voix. Plutôt montagne : %d voix.</p></div></div>
<div id="pied"><p>Auto Garance SARL, 14 quai des Tanneurs, Garance-Ville. Tél. 05 55 01 40 40</p>
<a href="/mentions.aspx">Mentions légales</a> | <a href="/cookies.aspx">Cookies</a> | <span>Page n° %d servie par IIS-%02d</span></div>
<div id="bandeau"><p>Ce site utilise des cookies.</p><input type="submit" name="ctl00$btnOk_%s" value="%s" /></div></form></body></html>`,
		n.Hex(40), 638_000_000_000+n.IntN(1e9), n.Hex(24), n.Hex(220), n.Hex(90), french(day(n)), now(n).Format("15:04:05"), 6+n.Calm.IntN(14), cs.Pick(n.Calmly(),
			"ciel clair", "averses", "couvert", "vent d’ouest"), main,
		cs.Pick(n, "Nos offres du moment", "À ne pas manquer", "Coups de cœur"),
		cs.Each(cs.Some(n, 3, "Citadine dès 29 € par jour", "Cabriolet pour deux", "Fourgon le samedi", "Minibus neuf places", "Électrique sans supplément",
			"Longue durée : parlons-en"), func(s string) string {
			return p(`<li><a href="/offre.aspx?id=%d">%s</a></li>`, n.IntN(9000), s)
		}), items(cs.Some(n, 3, "La corniche des pins", "Villages de l’arrière-pays", "Les lacs d’Orval", "La route du sel", "Gorges de la Serre", "Phares du ponant",
			"Trois cols en un jour"), `<li>%s</li>`),
		counted(n, 812, 5), counted(n, 640, 4), n.IntN(1e6), n.IntN(20), n.Hex(4), cs.Pick(n, "J’accepte", "D’accord", "Tout accepter"))
}
