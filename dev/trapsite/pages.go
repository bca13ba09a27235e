package trapsite

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// The number of pages of each kind.
const (
	articles  = 20
	items     = 12
	listPages = 3
	wikiPages = 5
	slowPages = 2
	busyPages = 2
	visits    = 5
)

// slug returns the name of an article, document or event.
func slug(kind string, n int) string {
	random := randomOf(fmt.Sprint(kind, n))
	words := make([]string, 3)
	for i := range words {
		words[i] = vocabulary[random.IntN(len(vocabulary))]
	}
	return strings.Join(words, "-")
}

func titleOf(slug string) string {
	return strings.ToUpper(slug[:1]) + strings.ReplaceAll(slug[1:], "-", " ")
}

func articlePath(n int) string { return "/articles/" + slug("article", n) }
func eventPath(n int) string   { return "/events/" + slug("event", n) }
func wikiPath(n int) string    { return "/wiki/" + slug("wiki", n) }

var docs = []string{"introduction", "installation", "configuration", "operation", "upgrades", "questions"}

// addPages adds the pages to be found, with the links between them.
func (s *Site) addPages() {
	s.page("/", s.home)
	s.page("/about", func(w http.ResponseWriter, _ *http.Request) {
		// Its links are relative to a base that is not its own address.
		write(w, document("About us", `<base href="/people/">`, prose("about", 8)+link("editor", "The editor")+link("./printer?fbclid=IwAR0abcdefgh", "The printer")))
	})
	for _, who := range []string{"editor", "printer"} {
		s.page("/people/"+who, s.plain(titleOf("the-"+who), "people/"+who, ""))
	}
	s.addArticles()
	s.addDocs()
	s.addEvents()
	for n := range slowPages {
		s.page(fmt.Sprintf("/slow/%s", slug("slow", n)), s.slow(n))
	}
	for n := range busyPages {
		s.page(fmt.Sprintf("/busy/%s", slug("busy", n)), s.busy(n))
	}
}

func (s *Site) home(w http.ResponseWriter, _ *http.Request) {
	var body strings.Builder
	body.WriteString(prose("home", 6) + "<ul>\n")
	for _, to := range [][2]string{
		{"/articles/", "All articles"},
		{"/articles/?utm_source=home&utm_campaign=autumn", "Our articles this autumn"},
		{"/docs/", "Documentation"},
		{"/DOCS/", "DOCUMENTATION"},
		{"/shop", "The shop"},
		{"/events/", "What is on"},
		{"/list?page=1", "Classified advertisements"},
		{"/wiki/", "The harbour wiki"},
		{"/visit/?visit=" + s.session(), "Visit us"},
		{"/member/" + s.session() + "/welcome", "For members"},
		{"/old;jsessionid=" + s.session(), "The old site"},
		{"/wide", "Index of everything"},
		{"/deep/", "The archive's cellar"},
		{"/go/loop-a", "A shortcut"},
		{"/go/self", "Another shortcut"},
		{"/go/chain-1", "The long way round"},
		{"/go/far-1", "The longest way round"},
		{"/go/private", "To the private rooms"},
		{"/go/article", "Editor's choice"},
		{"/private/ledger", "The ledger"},
		{"/private/open-day", "Open day"},
		{"/private/open-day/guests", "Guests of the open day"},
		{"/star/lounge", "The lounge"},
		{"/hidden", "Where not to follow"},
		{"/nowhere", "A dead link"},
		{"mailto:post@harbour.example", "Write to us"},
		{"/files/map.zip", "The map"},
		{"#top", "Up"},
	} {
		body.WriteString(link(to[0], to[1]))
	}
	for n := range slowPages {
		body.WriteString(link("/slow/"+slug("slow", n), "The slow road "+slug("slow", n)))
	}
	for n := range busyPages {
		body.WriteString(link("/busy/"+slug("busy", n), "The busy road "+slug("busy", n)))
	}
	if s.options.Other != "" {
		body.WriteString(link(s.options.Other+"/", "Our friends"))
	}
	write(w, document("The Harbour Post", "", body.String()+"</ul>\n"))
}

// plain is a page with its own words, followed by more.
func (s *Site) plain(title, name, more string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { write(w, document(title, "", prose(name, 14)+more)) }
}

func (s *Site) addArticles() {
	s.page("/articles/", func(w http.ResponseWriter, _ *http.Request) {
		var body strings.Builder
		for n := range articles {
			body.WriteString(link(articlePath(n), titleOf(slug("article", n))))
			body.WriteString(link(articlePath(n)+"?utm_source=index&utm_medium=teaser", "Read on"))
		}
		write(w, document("All articles", "", prose("articles", 5)+"<ul>\n"+body.String()+"</ul>\n"))
	})
	for n := range articles {
		var more strings.Builder
		for _, other := range []int{(n + 1) % articles, (n + 7) % articles, (n * 3) % articles} {
			more.WriteString(link(articlePath(other), "More: "+titleOf(slug("article", other))))
		}
		path := articlePath(n)
		more.WriteString(link(path+"?gclid=Cj0KCQ"+slug("click", n), "Share") + link("/print"+path, "Print") + link(path+"#comments", "Comments"))
		if s.options.Other != "" {
			more.WriteString(link(s.options.Other+path, "The same elsewhere"))
		}
		words := prose(path, 14)
		title := titleOf(slug("article", n))
		s.page(path, func(w http.ResponseWriter, _ *http.Request) {
			// Like most sites: the canonical address.
			write(w, document(title, `<link rel="canonical" href="`+html.EscapeString(path)+`">`, words+"<ul>\n"+more.String()+"</ul>\n"))
		})
	}
}

// addDocs adds documents that are served for any case, encoding or ending of their names. Each counts its visitors, so
// that no two responses are the same.
func (s *Site) addDocs() {
	s.page("/docs/", s.docsIndex)
	for i, name := range docs {
		s.page("/docs/"+name, func(w http.ResponseWriter, _ *http.Request) { s.doc(w, i) })
	}
}

func (s *Site) docsIndex(w http.ResponseWriter, _ *http.Request) {
	var body strings.Builder
	for _, name := range docs {
		body.WriteString(link("/docs/"+name, titleOf(name)))
	}
	write(w, document("Documentation", "", prose("docs", 6)+"<ul>\n"+body.String()+"</ul>\n"+s.counter()))
}

func (s *Site) doc(w http.ResponseWriter, i int) {
	name, next := docs[i], docs[(i+1)%len(docs)]
	upper := strings.ToUpper(next[:1]) + next[1:]
	body := prose("docs/"+name, 16) + "<ul>\n" + link("/docs/"+next, "Next: "+next) + link("/Docs/"+upper, upper) + link("/DOCS/"+strings.ToUpper(next), strings.ToUpper(next)) +
		link("/docs/%"+fmt.Sprintf("%02x", next[0])+next[1:], "Encoded") + link("/docs/"+next+"/", "With a slash") + link("/docs/./x/../"+next, "Dots") +
		link("/docs/"+next+"/index.html", "As a file") + link("/docs/"+next+"?", "With nothing asked") + "</ul>\n" + s.counter()
	write(w, document(titleOf(name), "", body))
}

// counter is the line that differs in each response.
func (s *Site) counter() string {
	n := s.visits.Add(1)
	return fmt.Sprintf("<p>You are visitor %d. This page took %d.%03d ms.</p>\n", 104_000+7*n, 3+n%11, n*37%1000)
}

func (s *Site) addEvents() {
	s.page("/events/", func(w http.ResponseWriter, _ *http.Request) {
		var body strings.Builder
		for n := range 3 {
			body.WriteString(link(eventPath(n), titleOf(slug("event", n))))
		}
		write(w, document("Events", "", prose("events", 6)+"<ul>\n"+body.String()+link("/calendar/2026/11", "The calendar")+"</ul>\n"))
	})
	for n := range 3 {
		s.page(eventPath(n), s.plain(titleOf(slug("event", n)), eventPath(n), link("/calendar/2026/11", "Back to the calendar")))
	}
}
