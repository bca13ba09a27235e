package heldout

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	clinicHost = "klinik.aarlen.example"
	clubHost   = "vereine.aarlen.example"
)

var doctorNames = []string{
	"Dr Leonie Amstutz", "Dr Leona Amstutz", "Dr Pavel Horak", "Dr Pavla Horak", "Dr Sven Ackermann", "Dr Svea Ackermann", "Dr Carla Bianchi", "Dr Carlo Bianchi",
	"Dr Noah Steiner", "Dr Noa Steinert",
	"Dr Ragna Solheim", "Dr Ragnar Solheim", "Dr Amélie Perrin", "Dr Emil Perrin", "Dr Goran Matic", "Dr Irina Volk", "Dr Jasper Hale", "Dr Kaisa Niemi",
	"Dr Luca Ferri", "Dr Moira Kane",
	"Dr Nils Oberg", "Dr Orla Finn", "Dr Pia Zumstein", "Dr Quirin Auer", "Dr Rosa Lima", "Dr Selim Aydin", "Dr Thea Munk", "Dr Ueli Bär", "Dr Vera Tomic",
	"Dr Wim Peeters", "Dr Xenia Roth", "Dr Yann Le Goff",
}

func (w *world) physicians() {
	f := frame{
		brand: "Clinic Aarlen", menu: `<li><a href="/">Clinic</a></li><li><a href="/doctors">Doctors</a></li>`,
		bottom: "Clinic Aarlen · Reception 055 700 10 00 · reception@klinik.aarlen.example · Emergency 144",
		beside: `<p>Visiting hours 14–20 h</p>`,
	}
	shapes := []shape{tagged, story, spans, twoUp, headed, graph, dashed, grid}
	fields := []string{"Cardiology", "Dermatology", "Paediatrics", "Orthopaedics", "Neurology"}
	for i, name := range doctorNames {
		phone := fmt.Sprintf("055 700 %02d %02d", 11+i, 20+i*2)
		mail := fmt.Sprintf("%s.%d@klinik.aarlen.example", path(name[strings.LastIndex(name, " ")+1:]), 30+i)
		fee := 95.5 + float64(i*15)
		feeShown := []string{fmt.Sprintf("CHF %.2f", fee), fmt.Sprintf("%.2f Fr.", fee), fmt.Sprintf("%.2f CHF", fee)}[i%3]
		takes, floor := i%3 != 0, 1+i%6
		tongues := [][]string{{"German", "Italian"}, {"French", "Romansh", "English"}, {"Norwegian", "German"}}[i%3]
		licence, since := fmt.Sprintf("AR-%05d", 20117+i*331), answersite.On(2001+i%22, 1, 1).AddDate(0, i%12, 0)
		sinceShown := []string{since.Format("2 January 2006"), answersite.DateIn("de", since), since.Format("2006-01-02")}[i%3]
		s := &answersite.Subject{Name: name, Kind: "Physician", Facts: []fact{
			{
				Field: "speciality", Value: answersite.Str(fields[i%5]), Label: []string{"Field", "Speciality"}[i%2], Shown: fields[i%5],
				Said: fmt.Sprintf("%s practises %s.", name, fields[i%5]), Prop: "medicalSpecialty", Ask: "the medical speciality",
			},
			{
				Field: "reach/tel", Value: answersite.Tel(phone), Label: []string{"Direct", "Appointments by phone"}[i%2], Shown: phone,
				Said: fmt.Sprintf("Appointments are made by ringing %s.", phone), Prop: "telephone", Ask: "the phone number for appointments",
				Clues: []string{"appointments"},
			},
			{
				Field: "reach/mail", Value: answersite.Mail(mail), Label: []string{"Electronic mail", "Mail to"}[i%2], Shown: mail,
				Said: fmt.Sprintf("Letters reach us electronically under %s.", mail), Prop: "email", Ask: "the personal e-mail address",
				Clues: []string{"electronically", "electronic mail"},
			},
			{
				Field: "first_visit_fee", Value: answersite.Money(fee, "CHF"), Label: []string{"First consultation", "Fee, first visit"}[i%2], Shown: feeShown,
				Said: fmt.Sprintf("The first consultation is billed at %s.", feeShown), Ask: "the fee for a first visit",
				Clues: []string{"CHF", "billed", "consultation"},
			},
			{
				Field: "new_patients", Value: answersite.Is(takes), Label: "New patients", Shown: yes(takes, "accepted", "not accepted"),
				Said: yes(takes, "New patients are accepted.", "New patients are not accepted at present."), Ask: "whether new patients are accepted",
			},
			{
				Field: "floor", Value: answersite.Int(floor), Label: "Floor", Shown: fmt.Sprint(floor), Said: fmt.Sprintf("Take the lift to floor %d.", floor),
				Ask: "the floor of the practice", Clues: []string{"lift"},
			},
			{
				Field: "consults_in", Value: answersite.Several(tongues...), Label: "Consultation languages", Shown: strings.Join(tongues, " / "),
				Said: fmt.Sprintf("Consultation languages: %s.", strings.Join(tongues, " / ")), Ask: "the languages of consultation",
			},
			{
				Field: "licence", Value: answersite.Str(licence), Label: []string{"Licence no.", "Licence"}[i%2], Shown: licence,
				Said: fmt.Sprintf("The canton licensed the practice under %s, a licence that is not transferable.", licence), Ask: "the licence number",
				Clues: []string{"AR-"},
			},
			{
				Field: "practising_since", Value: answersite.Day(since), Label: "With us from", Shown: sinceShown,
				Said: fmt.Sprintf("First day at the clinic: %s.", sinceShown), Ask: "the first day at the clinic", Clues: []string{"first day"},
			},
		}}
		s.Drop([][]string{{"licence"}, {"reach/mail"}, {"practising_since", "floor"}, {"first_visit_fee", "consults_in"}}[i/2%4]...)
		if i%2 == 1 && i < 14 {
			s.Drop("reach/tel")
		}
		for k := range s.Dropped { // consultation languages speak of consultations
			if s.Dropped[k].Field == "first_visit_fee" || s.Dropped[k].Field == "reach/mail" {
				s.Dropped[k].Clues = s.Dropped[k].Clues[:1]
			}
		}
		w.add("physicians", s, f, "person/staff", clinicHost, "/doctors/"+path(name), "", shapes[i%len(shapes)](s)+"<p>Please cancel at least 24 hours ahead.</p>")
	}
	w.quiz("physicians", []string{"reach/tel", "speciality", "licence", "first_visit_fee", "reach/mail", "practising_since", "new_patients", "floor", "consults_in"},
		[]string{"On {url}, {asks}", "{name}'s page is {url}. Copy {asks}."},
		[]string{"{asks} of {name}, Clinic Aarlen", "I have to see {name} at the clinic in Aarlen and look for {asks}."},
		[]string{"Which is {asks} of {name} at Clinic Aarlen?"})
	w.astray("physicians", "reach/tel", "How do I ring {name} at Clinic Aarlen for an appointment? I need {asks}.", answersite.FormDescribed, 1, 5, 9)
	for i, wing := range []string{"East", "West", "Garden"} {
		var cards strings.Builder
		for k := range 6 {
			d := w.of["physicians"][i*7+k]
			fmt.Fprintf(&cards, `<li class="doc"><h4>%s</h4><p>Surgery on %s, room %d%02d, bleep %d</p></li>`, d.Name,
				[]string{"Mondays", "Tuesdays", "Fridays"}[(i+k)%3], i+1, 10+k, 5200+i*40+k*3)
		}
		page := w.Add(clinicHost, "/wings/"+path(wing), "listing", f.page(wing+" wing: who is where", "", "<ul>"+cards.String()+"</ul>"))
		for n, k := range []int{1, 4} {
			d := w.of["physicians"][i*7+k]
			w.Pose(fmt.Sprintf("wing-%d-%d", i, k), []answersite.Mode{answersite.Named, answersite.Searched}[n],
				[]answersite.Form{answersite.FormSchema, answersite.FormDescribed, answersite.FormString}[i],
				[]string{
					"The bleep number of " + d.Name + " as given on " + page.URL,
					"What is the bleep number of " + d.Name + " in the " + strings.ToLower(wing) + " wing of Clinic Aarlen?",
				}[n],
				said("bleep", "the bleep number of "+d.Name, answersite.Int(5200+i*40+k*3), fmt.Sprint(5200+i*40+k*3), page))
		}
	}
}

var clubNames = []string{
	"Rowing Club Arl", "Rowing Union Arl", "Choir of Bodmen", "Men's Choir Bodmen", "Orienteers Emmat", "Bogskytteklubben Gorvik", "Asociación Micológica Chiavasco",
	"Degersunds Schacksällskap", "Philatelists of Aarlen", "Brass Band Flüelen-Ost",
	"Cercle de Billard", "Friends of the Funicular", "Peña Ciclista Ventosa", "Alpine Garden Society", "Roller Derby Aarlen", "Volksbühne Bodmen",
	"Kanotklubben Sund", "Radio Amateurs Emmat", "Sociedad Coral Emmat", "Curling Club Gorvik",
}

func (w *world) clubs() {
	for i, name := range clubNames {
		lang := []string{"en", "sv", "es"}[i%3]
		f := frame{
			brand: "Clubs in Aarlen", menu: `<li><a href="/a-z">A–Z</a></li>`, bottom: "Directory of clubs. Entries are the clubs' own.",
			beside: "<p>Print this page</p>", lang: lang,
		}
		l := map[string][]string{
			"en": {"Members", "Chair", "Formed", "Meets in", "Subscription", "Write to", "Home page", "Kind"},
			"sv": {"Medlemmar", "Ordförande", "Bildad", "Träffas i", "Medlemsavgift", "E-post", "Webbplats", "Typ"},
			"es": {"Socios", "Presidencia", "Fundación", "Sede", "Cuota", "Correo electrónico", "Sitio web", "Tipo"},
		}[lang]
		count, chair, formed := 19+i*173, people[(i*5+3)%len(people)], answersite.On(1888+i*6, 1, 4).AddDate(0, i*7%12, i*3%25)
		fee := 24 + float64(i%7)*12.5
		feeShown := map[string]string{
			"en": fmt.Sprintf("CHF %.2f a year", fee), "sv": answersite.Group(fee, 2, " ", ",") + " kr per år",
			"es": answersite.Group(fee, 2, ".", ",") + " € al año",
		}[lang]
		currency := map[string]string{"en": "CHF", "sv": "SEK", "es": "EUR"}[lang]
		formedShown := map[string]string{"en": formed.Format("2 January 2006"), "sv": answersite.DateIn("sv", formed), "es": answersite.DateIn("es", formed)}[lang]
		countShown := answersite.Group(float64(count), 0, map[string]string{"en": "'", "sv": " ", "es": "."}[lang], ",")
		kind := []string{"sports", "music", "hobby"}[i*2%3]
		link, mail := "https://club"+fmt.Sprint(100+i*3)+".aarlen.example/", fmt.Sprintf("office%d@club.aarlen.example", 100+i*3)
		s := &answersite.Subject{Name: name, Kind: "Organization", Facts: []fact{
			{Field: "members", Value: answersite.Int(count), Label: l[0], Shown: countShown, Ask: "the number of members"},
			{Field: "chairperson", Value: answersite.Str(chair), Label: l[1], Shown: chair, Ask: "the chairperson"},
			{Field: "formed", Value: answersite.Day(formed), Label: l[2], Shown: formedShown, Ask: "the date on which it was founded", Prop: "foundingDate"},
			{Field: "seat", Value: answersite.Str(communes[i*3%7]), Label: l[3], Shown: communes[i*3%7], Ask: "the place where it meets"},
			{Field: "annual_fee", Value: answersite.Money(fee, currency).Or(feeShown), Label: l[4], Shown: feeShown, Ask: "the annual membership fee"},
			{Field: "email", Value: answersite.Mail(mail), Label: l[5], Shown: mail, Ask: "the e-mail address", Prop: "email"},
			{Field: "homepage", Value: answersite.Link(link), Label: l[6], Shown: link, Ask: "the address of its web site", Prop: "url"},
			{Field: "type", Value: answersite.OneOf(kind, "sports", "music", "hobby"), Label: l[7], Shown: kind, Ask: "the kind of club"},
		}}
		s.Drop([][]string{{"homepage"}, {"chairperson", "annual_fee"}, {"members"}, {"email"}}[i%4]...)
		w.add("clubs", s, f, "organisation", clubHost, "/c/"+path(name), "", []shape{grid, headed, twoUp, dashed, spans, across, noted}[i%7](s))
	}
	w.quiz("clubs", []string{"chairperson", "members", "formed", "email", "annual_fee", "seat", "homepage", "type"},
		[]string{"Directory entry {url}: {asks}?", "Extract from {url}: {asks}"},
		[]string{"Aarlen's directory of clubs lists {name}. What are {asks}?", "About the club {name} in Aarlen: {asks}"},
		[]string{"What is {asks} of the club {name} in Aarlen?"})
}
