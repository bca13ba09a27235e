package trapsite

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Pages without links to them, which only sitemaps list.
const unlinked = 4

func unlinkedPath(n int) string { return "/unlinked/" + slug("unlinked", n) }

// addGuides adds what is written for robots: rules, and sitemaps by way of an index.
func (s *Site) addGuides() {
	s.page("/private/open-day", s.plain("Open day", "open-day", link("/private/open-day/guests", "Guests")+link("/private/kitchen", "The kitchen")))
	s.page("/star/lounge", s.plain("The lounge", "lounge", ""))
	s.trap("disallowed", "/private/")
	s.mux.HandleFunc("/private/", s.plain("Private", "private", ""))
	s.mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		// The group for all does not apply to robots with their own (RFC 9309 section 2.2.1), and the longest match wins
		// (section 2.2.2), which ends with the path here.
		_, _ = fmt.Fprintf(w, "User-agent: *\nDisallow: /star/\nDisallow: /about\n\nUser-agent: %s\nUser-agent: OtherBot\n"+
			"Disallow: /private/\nAllow: /private/open-day$\n\nSitemap: http://%s/sitemap-index.xml\n",
			s.options.Agent, r.Host)
	})
	s.mux.HandleFunc("/sitemap-index.xml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		_, _ = fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://%[1]s/sitemaps/articles.xml.gz</loc></sitemap>
<sitemap><loc>http://%[1]s/sitemaps/rest.txt</loc></sitemap><sitemap><loc>http://%[1]s/sitemap-index.xml</loc></sitemap></sitemapindex>`, r.Host)
	})
	s.mux.HandleFunc("/sitemaps/articles.xml.gz", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		zip := gzip.NewWriter(w)
		defer zip.Close()
		_, _ = io.WriteString(zip, `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for n := range articles {
			_, _ = fmt.Fprintf(zip, "<url><loc>http://%s%s</loc><lastmod>2026-11-%02d</lastmod></url>\n", r.Host, articlePath(n), n+1)
		}
		_, _ = io.WriteString(zip, "</urlset>")
	})
	s.mux.HandleFunc("/sitemaps/rest.txt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		var lines strings.Builder
		for n := range unlinked {
			lines.WriteString("http://" + r.Host + unlinkedPath(n) + "\n")
		}
		_, _ = io.WriteString(w, lines.String())
	})
	for n := range unlinked {
		s.mux.HandleFunc(unlinkedPath(n), s.plain(titleOf(slug("unlinked", n)), unlinkedPath(n), ""))
	}
}

// Listed are the paths that the site's sitemaps list, including those without links to them.
func (s *Site) Listed() []string {
	var paths []string
	for n := range articles {
		paths = append(paths, articlePath(n))
	}
	for n := range unlinked {
		paths = append(paths, unlinkedPath(n))
	}
	return paths
}
