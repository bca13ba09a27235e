package devset

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const staffHost = "people.orrin-university.example"

// Pairs follow each other whose names are nearly the same.
var staffNames = []string{
	"Mara Lindqvist", "Mara Lindquist", "Tobias Okafor", "Tobiah Okafor", "Anna-Lena Brandt", "Annalena Brand", "Ruairi Keane", "Rory Keane",
	"Ines Fontaine", "Inès Fontane", "Gerard Holloway", "Gerald Holloway", "Yusuf Demirel", "Katarina Novak", "Pradeep Anand", "Sigrid Aasen",
	"Leo Marchand", "Beatrix Ormond", "Hugo Castellan", "Wilhelmina Stroud", "Dara Quill", "Esme Thackeray", "Farid Rahmani", "Gunnar Holt",
	"Hana Sedlak", "Ivo Petrov", "Jocelyn Wray", "Kwame Boateng", "Lotte Janssen", "Milan Horvat", "Niamh Corrigan", "Oskar Lindholm",
	"Paloma Reyes", "Quentin Ashby", "Rosalind Peake", "Stellan Berg", "Tamsin Yeo", "Ulrich Faber", "Verity Lomax", "Wendel Krause",
}

var departments = []string{"Oceanography", "Medieval History", "Applied Optics", "Comparative Literature"}

func (b *builder) staff() {
	c := chrome{
		site: "Orrin University", nav: `<a href="/">University</a> <a href="/people">People</a> <a href="/study">Study with us</a>`,
		foot: "Orrin University · Switchboard +44 1632 960000 · info@orrin-university.example",
	}
	layouts := b.layouts(labelled, microdata, prose, definitions, lines, infobox, bullets, mixed)
	for i, name := range staffNames {
		short := strings.ToLower(name[:1]) + "." + slug(name[strings.LastIndex(name, " ")+1:])
		phone := fmt.Sprintf("+44 1632 960%03d", 111+i*7)
		shown := []string{phone, fmt.Sprintf("+44 (0)1632 960%03d", 111+i*7), fmt.Sprintf("+44-1632-960-%03d", 111+i*7)}[i%3]
		mail := short + fmt.Sprint(i) + "@orrin-university.example"
		joined := 1994 + i*7%30
		languages := [][]string{{"English", "Swedish"}, {"English", "French", "Dutch"}, {"English", "German", "Czech"}, {"English", "Portuguese"}}[i%4]
		title := []string{"Professor", "Senior Lecturer", "Research Fellow", "Reader", "Lecturer"}[i%5]
		room := fmt.Sprintf("%c.%d", 'A'+rune(i%6), 101+i*3)
		s := &answersite.Subject{Name: name, Kind: "Person", Facts: []answersite.Fact{
			b.fact("position", answersite.Str(title, title+" of "+departments[i%4], title+" in "+departments[i%4], title+" in the Department of "+departments[i%4]),
				[]string{"Position", "Role", "Post"}[i%3], title,
				fmt.Sprintf("%s is %s in the Department of %s.", name, title, departments[i%4]), "jobTitle", "the academic position"),
			b.fact("department", answersite.Str(departments[i%4], "Department of "+departments[i%4]), "Department", departments[i%4],
				fmt.Sprintf("The Department of %s is on the north side of the campus.", departments[i%4]), "", "the department"),
			b.fact("email", answersite.Mail(mail), []string{"E-mail", "Email", "Mail"}[i%3], mail, fmt.Sprintf("Write to %s for an appointment.", mail), "email",
				"the e-mail address", short),
			b.fact("phone", answersite.Tel(shown), []string{"Telephone", "Phone", "Tel."}[i%3], shown, fmt.Sprintf("The direct line is %s.", shown), "telephone",
				"the direct phone number", "direct line", "960"+fmt.Sprintf("%03d", 111+i*7)),
			b.fact("room", answersite.Str(room, "Room "+room), []string{"Room", "Office"}[i%2], room, fmt.Sprintf("You will find the office in room %s.", room), "",
				"the office or room", "room"),
			b.fact("joined", answersite.Int(joined), []string{"At Orrin since", "Joined the university"}[i%2], fmt.Sprint(joined),
				fmt.Sprintf([]string{"At Orrin since %d.", "The university appointed our colleague in %d."}[i%2], joined), "", "the year of joining the university",
				"since", "appointed"),
			b.fact("languages", answersite.Several(languages...), []string{"Languages", "Languages spoken"}[i%2], strings.Join(languages, ", "),
				fmt.Sprintf("Supervision is offered in these languages: %s.", strings.Join(languages, ", ")), "", "the languages spoken", "languages"),
			b.fact("orcid_url", answersite.Link(fmt.Sprintf("https://ids.example/0000-0002-%04d-%04d", 1100+i*13, 2000+i*7)), "Researcher ID",
				fmt.Sprintf("https://ids.example/0000-0002-%04d-%04d", 1100+i*13, 2000+i*7),
				fmt.Sprintf("Publications are listed at https://ids.example/0000-0002-%04d-%04d in full.", 1100+i*13, 2000+i*7), "url",
				"the URL of the researcher ID", "ids.example"),
		}}
		s.Drop([][]string{{"orcid_url"}, {"phone"}, {"joined", "orcid_url"}, {"room"}, {"languages"}}[i%5]...)
		b.keep("staff", s)
		head := ""
		if i%4 == 3 {
			head = s.LD()
		}
		tail := "<h2>Publications</h2><ol><li>Notes on method. Orrin Papers 14 (2019), pp. 33–61.</li><li>A reply to our critics. Orrin Papers 17 (2022), p. 9.</li></ol>"
		b.page(c, s, "person/staff", staffHost, "/people/"+slug(name), head, layouts[i%len(layouts)](s)+tail)
	}
	for d, department := range departments {
		var rows [][]string
		for i, s := range b.made["staff"] {
			if i%4 == d {
				position, _ := s.Fact("position")
				rows = append(rows, []string{s.Name, position.Shown, fmt.Sprintf("%s %d:00–%d:00", []string{"Monday", "Tuesday", "Thursday"}[i%3], 9+i%5, 11+i%5)})
			}
		}
		list := b.Add(staffHost, "/departments/"+slug(department), "listing", c.wrap("Department of "+department+": office hours", "",
			"<p>Office hours in the spring term of 2026.</p>"+
				table("Office hours", []string{"Name", "Position", "Office hours"}, rows...)))
		for n, k := range []int{1, 4} {
			mode, text := answersite.Named, fmt.Sprintf("When are the office hours of %s? Look at %s", rows[k][0], list.URL)
			if n == 1 {
				mode, text = answersite.Searched, fmt.Sprintf("When does %s of Orrin University have office hours?", rows[k][0])
			}
			b.Pose(fmt.Sprintf("staff/hours/%d/%d", d, k), mode, []answersite.Form{
				answersite.FormEmpty, answersite.FormDescribed, answersite.FormString,
				answersite.FormNone,
			}[d], text,
				answersite.Described{Field: "office_hours", Ask: "day and time of the office hours", Want: answersite.Want{
					Value: answersite.Str(rows[k][2]), Shown: rows[k][2], URLs: []string{list.URL},
				}})
		}
	}
	b.ask(plan{
		kind: "staff", every: 2,
		fields: [][]string{
			{"email", "phone"},
			{"position", "department", "room"},
			{"phone", "languages"},
			{"joined", "email"},
			{"orcid_url", "position"},
			{"email", "room", "joined"},
			{"languages", "department"},
		},
		named:    []string{"Take {asks} of {name} from {url}.", "Contact card for {name} please, see {url} ({asks})."},
		searched: []string{"What are {asks} of {name} at Orrin University?", "Find {name}, Orrin University: {asks}."},
		single:   []string{"What is {asks} of {name}, Orrin University?", "I need {asks} of {name} at Orrin University."},
	})
	for n, i := range []int{1, 6, 11} { // without a phone, whose twin has one
		s, twin := b.made["staff"][i], b.made["staff"][i^1]
		if f, ok := twin.Fact("phone"); ok {
			b.only(s, []answersite.Form{answersite.FormNone, answersite.FormSchema, answersite.FormEmpty}[n], answersite.Searched,
				"What is the direct phone number of {name} at Orrin University?", "phone", f.Shown, f.Value.Text)
		}
	}
}
