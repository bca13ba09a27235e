package plan

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/clip"
)

// aim finds the targets: those the sentence names, else those the policy names, else those a search finds.
func (d *draft) aim() error {
	if len(d.targets.pages)+len(d.targets.sites) > 0 {
		return nil
	}
	d.byPolicy()
	if len(d.targets.pages)+len(d.targets.sites)+len(d.targets.domains) > 0 {
		return nil
	}
	if d.sources.includes() {
		return &Error{"source_policy leaves nothing to watch: " + d.refusals() + "."}
	}
	if d.targets.query = d.sentence.search; d.targets.query == "" {
		return &Error{"The query contains no URL and nothing to search for. Say what to watch, for example “the price on https://example.com/item”."}
	}
	for _, excluded := range d.sources.excludeDomains {
		if len(d.targets.except) < websearch.DomainsMax {
			d.targets.except = append(d.targets.except, excluded.host)
		}
	}
	d.targets.how = "the query contains no URL, so the web is searched"
	return nil
}

func (d *draft) refusals() string {
	var all []string
	for _, u := range d.refused {
		all = append(all, u.Part+" "+u.Reason)
	}
	if len(all) == 0 {
		return "everything it includes is also excluded, or it includes nothing that can be read"
	}
	return strings.Join(all[:min(len(all), 3)], "; ")
}

// named takes the addresses of the sentence as targets. It fails if there are addresses and all are refused: a monitor
// must not watch something other than what its team named.
func (d *draft) named() error {
	for _, a := range d.sentence.addresses {
		if a.except {
			continue
		}
		allow := d.sources.Allow
		if d.sentence.whole {
			allow = d.sources.AllowStart
		}
		if d.fetchable(a.url, allow) != nil {
			continue
		}
		if d.sentence.whole {
			d.targets.sites = append(d.targets.sites, siteAt(a.url))
		} else {
			d.targets.pages = append(d.targets.pages, a.url)
		}
	}
	switch {
	case len(d.targets.sites) > 0:
		d.targets.how = "the query is about a site or a section of one"
	case len(d.targets.pages) > 0:
		d.targets.how = "the query names the pages to read"
	case len(d.refused) > 0:
		return &Error{"None of the URLs in the query can be watched: " + d.refusals() + "."}
	}
	return nil
}

// fetchable checks a URL, and notes it as refused if it cannot be watched.
func (d *draft) fetchable(u fetch.URL, allow func(fetch.URL) error) error {
	err := d.guard(u)
	if err == nil {
		err = allow(u)
	}
	if err != nil {
		reason := innermost(err).Error()
		if refused, ok := errors.AsType[*RefusedError](err); ok {
			reason = "is outside source_policy"
			if refused.Excluded {
				reason = "is excluded"
			}
		} else if fetch.ReasonOf(err) != "" || strings.Contains(reason, "public address") {
			reason = "is not at a public address or port"
		}
		d.refused = append(d.refused, Unresolved{Part: clip.Chars(u.String(), labelCharsMax), Reason: reason})
	}
	return err
}

// siteAt is the section that a URL starts: the pages below its path, or the whole host if it has no path.
func siteAt(u fetch.URL) site {
	s := site{start: u, limit: siteLimit}
	at, _, _ := strings.Cut(u.PathAndQuery(), "?")
	if at = strings.TrimSuffix(at, "/"); at == "" {
		return s
	}
	if ext := path.Ext(at); ext != "" && len(ext) < 7 { // a file is a list's own page, so its siblings are meant
		at = strings.TrimSuffix(path.Dir(at), "/")
		if at == "" {
			return s
		}
	}
	s.include = []string{globText(at), globText(at) + "/**"}
	return s
}

// globText is a path as a glob that matches only that path.
func globText(text string) string { return strings.ReplaceAll(text, "*", "%2A") }

// byPolicy takes the policy's includes as targets.
func (d *draft) byPolicy() {
	for i, entry := range d.sources.include {
		switch {
		case entry.exact != "" && len(d.targets.pages) < URLsMax:
			if u, err := fetch.ParseURL(entry.exact); err == nil && d.fetchable(u, d.sources.Allow) == nil {
				d.targets.pages = append(d.targets.pages, u)
			}
		case strings.Contains(entry.text, "://") && len(d.targets.sites) < sitesMax:
			start, err := fetch.ParseURL(folderOf(entry.text))
			if err == nil && d.fetchable(start, d.sources.AllowStart) == nil {
				d.targets.sites = append(d.targets.sites, site{start: start, include: []string{entry.text}, limit: siteLimit})
			}
		case entry.exact == "":
			d.notes = append(d.notes, fmt.Sprintf("include_urls[%d] only limits which pages are read and is not itself a target", i))
		}
	}
	if len(d.targets.pages)+len(d.targets.sites) > 0 {
		d.targets.how = "the query contains no URL, so the pages that source_policy includes are watched"
		return
	}
	var hosts []domain
	for _, included := range d.sources.includeDomains {
		if u, err := fetch.ParseURL("https://" + included.String() + "/"); err == nil && d.fetchable(u, d.sources.Allow) == nil {
			hosts = append(hosts, included)
		}
	}
	if len(hosts) == 0 {
		return
	}
	if len(hosts) > sitesMax && d.sentence.search != "" {
		d.targets.query = d.sentence.search
		for _, host := range hosts[:min(len(hosts), websearch.DomainsMax)] {
			d.targets.domains = append(d.targets.domains, host.host)
		}
		d.targets.how = "the query contains no URL, so the domains of source_policy are searched"
		return
	}
	for _, host := range hosts[:min(len(hosts), sitesMax)] {
		start, _ := fetch.ParseURL("https://" + host.String() + "/")
		s := site{start: start, limit: siteLimit}
		if !d.sentence.whole {
			s.query, s.limit = d.sentence.search, relevantLimit
		}
		d.targets.sites = append(d.targets.sites, s)
	}
	d.targets.how = "the query contains no URL, so the relevant pages of source_policy's domains are watched"
}

// folderOf is the part of a glob before its first star, up to the last slash.
func folderOf(text string) string {
	before, _, _ := strings.Cut(text, "*")
	if i := strings.LastIndexByte(before, '/'); i > strings.Index(before, "://")+2 {
		return before[:i+1]
	}
	return before
}
