package trapsite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// addTraps adds what is no page, or has no end, with the pages beside it.
func (s *Site) addTraps() {
	s.addCalendar()
	s.addShop()
	s.addList()
	s.addSoftMissing()
	s.addSessions()
	s.addRedirects()
	s.addWide()
	s.addDeep()
	s.trap("case and encoding", "/Docs/", "/DOCS/", "/docs/")
	s.mux.HandleFunc("/docs/", s.anyDoc)
	s.mux.HandleFunc("/Docs/", s.anyDoc)
	s.mux.HandleFunc("/DOCS/", s.anyDoc)
	s.trap("canonical duplicates", "/print/")
	for n := range articles {
		path := articlePath(n)
		title := titleOf(slug("article", n))
		s.mux.HandleFunc("/print"+path, func(w http.ResponseWriter, _ *http.Request) {
			write(w, document(title+" (to be printed)", `<link rel="canonical" href="`+path+`">`, prose(path, 14)+"<p>Printed by the old quay.</p>"))
		})
	}
	s.trap("dead links", "/nowhere")
	s.trap("files", "/files/")
	s.trap("nofollow", "/unfollowed/")
	s.page("/hidden", func(w http.ResponseWriter, _ *http.Request) {
		write(w, document("Where not to follow", `<meta name="robots" content="nofollow">`, prose("hidden", 12)+link("/unfollowed/one", "One")+link("/unfollowed/two", "Two")))
	})
	s.mux.HandleFunc("/unfollowed/{name}", s.plain("Not to be followed", "unfollowed", ""))
}

// missing is a correct response for a missing page.
func (s *Site) missing(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Not found</title><h1>Not found</h1><p>There is nothing at %q.</p>", r.URL.Path)
}

// anyDoc finds documents by any variant of their names.
func (s *Site) anyDoc(w http.ResponseWriter, r *http.Request) {
	name := strings.Trim(strings.TrimSuffix(strings.ToLower(r.URL.Path)[len("/docs/"):], "index.html"), "/")
	if name == "" {
		s.docsIndex(w, r)
		return
	}
	for i := range docs {
		if docs[i] == name {
			s.doc(w, i)
			return
		}
	}
	s.missing(w, r)
}

// addCalendar adds a calendar that is endless in both directions, by months and days. Only one month has events.
func (s *Site) addCalendar() {
	s.trap("calendar", "/calendar/")
	s.page("/calendar/2026/11", s.month)
	s.mux.HandleFunc("/calendar/{year}/{month}", s.month)
	s.mux.HandleFunc("/calendar/{year}/{month}/{day}", func(w http.ResponseWriter, r *http.Request) {
		day, err := time.Parse("2006/1/2", r.PathValue("year")+"/"+r.PathValue("month")+"/"+r.PathValue("day"))
		if err != nil {
			s.missing(w, r)
			return
		}
		to := func(day time.Time) string {
			return link(day.Format("/calendar/2006/1/2"), day.Format("Monday, 2 January 2006"))
		}
		body := "<p>Nothing is on this day.</p><ul>" + to(day.AddDate(0, 0, -1)) + to(day.AddDate(0, 0, 1)) + "</ul>"
		write(w, document(day.Format("2 January 2006"), "", body))
	})
}

func (s *Site) month(w http.ResponseWriter, r *http.Request) {
	year, month := r.PathValue("year"), r.PathValue("month")
	if year == "" {
		year, month = "2026", "11"
	}
	first, err := time.Parse("2006/1", year+"/"+month)
	if err != nil {
		s.missing(w, r)
		return
	}
	var body strings.Builder
	if year == "2026" && month == "11" {
		for n := range 3 {
			body.WriteString(prose(eventPath(n), 1) + link(eventPath(n), titleOf(slug("event", n))))
		}
	} else {
		body.WriteString("<p>Nothing is on this month.</p>")
	}
	body.WriteString("<table><tr>")
	for day := first; day.Month() == first.Month(); day = day.AddDate(0, 0, 1) {
		body.WriteString(`<td><a href="` + day.Format("/calendar/2006/1/2") + `">` + strconv.Itoa(day.Day()) + "</a></td>")
		if day.Weekday() == time.Sunday {
			body.WriteString("</tr><tr>")
		}
	}
	body.WriteString("</tr></table>" + link(first.AddDate(0, -1, 0).Format("/calendar/2006/1"), first.AddDate(0, -1, 0).Format("January 2006")) +
		link(first.AddDate(0, 1, 0).Format("/calendar/2006/1"), first.AddDate(0, 1, 0).Format("January 2006")))
	write(w, document("Calendar of "+first.Format("January 2006"), "", body.String()))
}

// facets are the filters of the shop.
var facets = []struct {
	name   string
	values []string
}{
	{"colour", []string{"red", "green", "blue", "white"}},
	{"size", []string{"s", "m", "l"}},
	{"material", []string{"wool", "linen", "oilskin"}},
	{"sort", []string{"price", "name", "newest"}},
	{"view", []string{"grid", "list"}},
}

// addShop adds a shop whose items can be filtered and sorted in all combinations.
func (s *Site) addShop() {
	s.trap("facets", "/shop?")
	s.page("/shop", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		random := randomOf(query.Encode())
		order := random.Perm(items)
		if len(query) > 0 && query.Get("sort") == "" {
			order = order[:items/2]
		}
		var body strings.Builder
		for _, n := range order {
			body.WriteString(link(fmt.Sprintf("/shop/item-%d", n+1), itemName(n)) + "<p>" + strings.Join(vocabulary[n:n+9], " ") + "</p>")
		}
		for _, facet := range facets {
			for _, value := range facet.values {
				with := r.URL.Query()
				with.Set(facet.name, value)
				body.WriteString(link("/shop?"+with.Encode(), facet.name+": "+value))
			}
		}
		write(w, document("The shop", "", "<p>Things for the sea and the shore.</p><ul>\n"+body.String()+"</ul>\n"))
	})
	for n := range items {
		path := fmt.Sprintf("/shop/item-%d", n+1)
		s.page(path, s.plain(itemName(n), path, link("/shop", "Back to the shop")+link("/shop?sort=price", "By price")))
	}
}

func itemName(n int) string { return titleOf(slug("item", n)) }

// addList adds a list that always has a next page.
func (s *Site) addList() {
	s.trap("pagination", "/list?")
	for n := range listPages {
		s.pages = append(s.pages, fmt.Sprintf("/list?page=%d", n+1))
	}
	s.mux.HandleFunc("/list", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil || n < 1 {
			s.missing(w, r)
			return
		}
		body := "<p>There are no more advertisements.</p>"
		if n <= listPages {
			body = prose(fmt.Sprint("list", n), 12)
		}
		write(w, document(fmt.Sprintf("Classified advertisements, page %d", n), "", body+link(fmt.Sprintf("/list?page=%d", n+1), "Next page")))
	})
}

// addSoftMissing adds two parts that respond with 200 for missing pages: one says so in its text, the other does not.
func (s *Site) addSoftMissing() {
	s.trap("soft 404", "/wiki/")
	s.trap("silent soft 404", "/museum/")
	s.page("/wiki/", s.withRedLinks("The harbour wiki", "/wiki/", wikiPath))
	for n := range wikiPages {
		s.page(wikiPath(n), s.withRedLinks(titleOf(slug("wiki", n)), wikiPath(n), func(i int) string { return fmt.Sprint("/wiki/", slug(wikiPath(n), i)) }))
	}
	s.mux.HandleFunc("/wiki/", func(w http.ResponseWriter, r *http.Request) {
		name := titleOf(strings.TrimPrefix(r.URL.Path, "/wiki/") + " ")
		write(w, document("Page not found", "", fmt.Sprintf("<p>There is no page %s yet. Write it, or look for something else.</p>", name)))
	})
	room := func(n int) string { return "/museum/" + slug("museum", n) }
	s.page("/museum/", s.withRedLinks("The museum", "/museum/", room))
	for n := range wikiPages {
		s.page(room(n), s.withRedLinks(titleOf(slug("museum", n)), room(n), func(i int) string { return fmt.Sprint("/museum/", slug(room(n), i)) }))
	}
	s.mux.HandleFunc("/museum/", func(w http.ResponseWriter, r *http.Request) {
		write(w, document("The museum of the harbour", "", prose("museum", 3)+fmt.Sprintf("<p>Our guides have looked for %s everywhere.</p>", r.URL.Path)))
	})
}

// withRedLinks is a page with links, most of which lead to pages that do not exist.
func (s *Site) withRedLinks(title, name string, to func(n int) string) http.HandlerFunc {
	var links strings.Builder
	for n := range 2 * wikiPages {
		links.WriteString(link(to(n), titleOf(to(n)[1:])))
	}
	if name == "/wiki/" {
		links.WriteString(link("/museum/", "The museum"))
	}
	return s.plain(title, name, "<ul>"+links.String()+"</ul>")
}

// addSessions adds parts whose links contain a new session id in each response: in a parameter, a segment, and after a ;.
func (s *Site) addSessions() {
	s.trap("session in the query", "/visit/")
	s.trap("session in the path", "/member/")
	s.trap("session behind a semicolon", "/old;")
	names := []string{"", "hours", "prices", "directions", "groups"}[:visits]
	for _, name := range names {
		path := "/visit/" + name
		s.page(path, func(w http.ResponseWriter, _ *http.Request) {
			session := s.session()
			var links strings.Builder
			for _, other := range names {
				links.WriteString(link("/visit/"+other+"?visit="+session, "Visit: "+other))
			}
			write(w, document(strings.TrimSpace("Visit us "+name), "", prose(path, 12)+"<ul>"+links.String()+"</ul>"))
		})
	}
	rooms := []string{"welcome", "rules", "news", "library", "kitchen"}[:visits]
	for _, name := range rooms {
		s.pages = append(s.pages, "/member/"+name)
	}
	s.mux.HandleFunc("/member/{session}/{room}", func(w http.ResponseWriter, r *http.Request) {
		session, room := s.session(), r.PathValue("room")
		var links strings.Builder
		for _, other := range rooms {
			links.WriteString(link("/member/"+session+"/"+other, "Members: "+other))
		}
		write(w, document("Members: "+room, "", prose("/member/"+room, 12)+"<ul>"+links.String()+"</ul>"))
	})
	s.pages = append(s.pages, "/old")
	s.mux.HandleFunc("/{old}", func(w http.ResponseWriter, r *http.Request) {
		if name, _, _ := strings.Cut(r.PathValue("old"), ";"); name != "old" {
			s.missing(w, r)
			return
		}
		write(w, document("The old site", "", prose("old", 12)+link("/old;jsessionid="+s.session(), "Again")+link("/old?PHPSESSID="+s.session(), "And again")))
	})
}

// session returns a new session id.
func (s *Site) session() string {
	sum := sha256.Sum256([]byte(strconv.FormatInt(s.given.Add(1), 10)))
	return hex.EncodeToString(sum[:16])
}

// addRedirects adds chains, short and too long, loops, and redirects to forbidden places.
func (s *Site) addRedirects() {
	s.trap("redirect loops", "/go/loop-", "/go/self")
	s.trap("redirect chains", "/go/chain-", "/go/far-")
	s.trap("redirects", "/go/private", "/go/article")
	s.mux.HandleFunc("/go/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		to := map[string]string{
			"loop-a": "/go/loop-b", "loop-b": "/go/loop-a", "self": "/go/self", "private": "/private/ledger", "article": articlePath(3), "chain-5": articlePath(5),
		}[name]
		if kind, at, ok := strings.Cut(name, "-"); ok && to == "" {
			if n, err := strconv.Atoi(at); err == nil {
				to = fmt.Sprintf("/go/%s-%d", kind, n+1)
			}
		}
		if to == "" {
			s.missing(w, r)
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
}

// addWide adds a page with far too many links, which all lead to the same.
func (s *Site) addWide() {
	s.trap("wide page", "/wide/")
	s.page("/wide", func(w http.ResponseWriter, _ *http.Request) {
		var body strings.Builder
		for n := range s.options.Wide {
			body.WriteString(link(fmt.Sprintf("/wide/%d", n), strconv.Itoa(n)))
		}
		write(w, document("Index of everything", "", prose("wide", 4)+"<ul>"+body.String()+"</ul>"))
	})
	s.mux.HandleFunc("/wide/{n}", s.plain("An empty drawer", "drawer", ""))
}

// addDeep adds paths that grow with each link that is followed: by one segment, by two in turn, and by numbers.
func (s *Site) addDeep() {
	s.trap("deep paths", "/deep/")
	s.page("/deep/", s.plain("The cellar", "/deep/", link("down/", "Down")+link("left/right/", "Left and right")+link("1/", "By number")))
	s.mux.HandleFunc("/deep/", func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		to := "down/"
		switch last := parts[len(parts)-1]; {
		case last == "right" || last == "left":
			to = map[string]string{"right": "left/", "left": "right/"}[last]
		case strings.Trim(last, "0123456789") == "":
			to = strconv.Itoa(len(parts)) + "/"
		}
		write(w, document("The cellar, "+strconv.Itoa(len(parts))+" steps down", "", prose(r.URL.Path, 6)+link(to, "Further down")+link("/deep/", "Up")))
	})
}

// slow is a page with a slow response.
func (s *Site) slow(n int) http.HandlerFunc {
	name := slug("slow", n)
	page := s.plain(titleOf(name), "/slow/"+name, "")
	return func(w http.ResponseWriter, r *http.Request) {
		timer := time.NewTimer(s.options.Slow)
		defer timer.Stop()
		select {
		case <-timer.C:
			page(w, r)
		case <-r.Context().Done():
		}
	}
}

// busy is a page that once asks for a later retry and says when: in seconds, or by a date.
func (s *Site) busy(n int) http.HandlerFunc {
	name := slug("busy", n)
	page := s.plain(titleOf(name), "/busy/"+name, "")
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[name]++
		first := s.asked[name] == 1
		s.mu.Unlock()
		if !first {
			page(w, r)
			return
		}
		after := strconv.Itoa(int(s.options.RetryAfter / time.Second))
		if n%2 == 1 {
			now := time.Now().Truncate(time.Second)
			w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
			after = now.Add(s.options.RetryAfter).UTC().Format(http.TimeFormat)
		}
		w.Header().Set("Retry-After", after)
		w.WriteHeader(http.StatusTooManyRequests)
	}
}
