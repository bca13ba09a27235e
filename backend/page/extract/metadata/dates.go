package metadata

import (
	"regexp"
	"strings"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/clip"
)

// settleDates finds when the page was published and modified. own is false if the visible dates are those of other items.
func (c *Claims) settleDates(m *Fields, address *whatwg.Url, own bool) {
	m.PublishedAt = c.firstDate("article:published_time", "ld:datepublished", "ld:uploaddate", "meta:date", "meta:pubdate", "meta:publish-date", "meta:publish_date",
		"meta:publication_date", "meta:parsely-pub-date", "meta:sailthru.date", "meta:citation_publication_date", "meta:citation_date", "meta:dc.date",
		"meta:dc.date.issued", "meta:dcterms.date", "meta:dcterms.created", "meta:article.published")
	if m.PublishedAt == "" && own {
		m.PublishedAt = c.firstDate("itemprop:datepublished", "time:published")
	}
	if m.PublishedAt == "" && address != nil {
		m.PublishedAt = dateInPath(address.Pathname())
	}
	if m.PublishedAt == "" && own {
		m.PublishedAt = c.firstDate("time")
	}
	m.ModifiedAt = c.firstDate("article:modified_time", "ld:datemodified", "og:updated_time", "meta:last-modified", "meta:dcterms.modified", "meta:dc.date.modified")
	if m.ModifiedAt == "" && own {
		m.ModifiedAt = c.firstDate("itemprop:datemodified", "time:modified")
	}
}

// firstDate returns the first claim that is a date.
func (c *Claims) firstDate(names ...string) string {
	for _, name := range names {
		if claim := c.one[name]; claim != "" {
			if date := dateOf(claim); date != "" {
				return date
			}
		}
	}
	return ""
}

// dateOf converts a date to RFC 3339, or to a plain date if it has no time or zone; "" if s is no date.
func dateOf(s string) string {
	t, exact := ParseDate(s)
	switch {
	case t.IsZero():
		return ""
	case exact:
		return t.Format(time.RFC3339)
	}
	return t.Format(time.DateOnly)
}

var (
	// exactLayouts have a time of day and a zone.
	exactLayouts = []string{
		time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05 Z0700", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05 -07:00",
		"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04 -0700", "2 Jan 2006 15:04:05 -0700", "Monday, 2-Jan-06 15:04:05 -0700", "Mon, 2 Jan 06 15:04:05 -0700",
		"Mon Jan 2 15:04:05 -0700 2006", "Mon, 2 January 2006 15:04:05 -0700", "January 2, 2006 15:04:05 -0700",
	}
	// dayLayouts have no zone. Without one the time of day cannot be compared.
	dayLayouts = []string{
		time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05.999999999", "2006-1-2",
		"2006/01/02", "2006/1/2", "2006/01/02 15:04:05", "20060102", "20060102T150405", "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "2.1.2006",
		"January 2, 2006 3:04 PM", "Jan 2, 2006 3:04 PM", "Mon, 2 Jan 2006", "Monday, January 2, 2006", "Mon, 2 Jan 2006 15:04:05", "Mon Jan 2 15:04:05 2006",
		"2006年1月2日", "2006年01月02日",
	}
	// zones are the names that are defined by RFC 822, section 5.1. Others are ambiguous.
	zones = map[string]string{
		"GMT": "+0000", "UT": "+0000", "UTC": "+0000", "Z": "+0000", "EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500",
		"MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
	}
)

// ParseDate reads a date as pages and feeds write it. exact is false if it is a day without a time or a zone. The time is
// zero if s is no date, or no plausible one.
func ParseDate(s string) (t time.Time, exact bool) {
	s = dom.Fold(s)
	if len(s) < len("2006-1-2") || len(s) > 64 {
		return time.Time{}, false
	}
	// time.Parse would take a zone's name for UTC with another name.
	named := s
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		switch offset, ok := zones[strings.ToUpper(s[i+1:])]; {
		case ok:
			s = s[:i+1] + offset
		case isZoneName(s[i+1:]):
			named = s[:i]
		}
	}
	for _, layout := range exactLayouts {
		if t, err := time.Parse(layout, s); err == nil && isPlausible(t) {
			return t, true
		}
	}
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, named); err == nil && isPlausible(t) {
			return t, false
		}
	}
	return time.Time{}, false
}

func isZoneName(s string) bool {
	if len(s) < 3 || len(s) > 5 || s == "AM" || s == "PM" {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isPlausible rejects accidental dates and placeholders.
func isPlausible(t time.Time) bool {
	return t.Year() >= 1900 && t.Year() < 2200 && !(t.Year() == 1970 && t.YearDay() == 1)
}

var pathDate = regexp.MustCompile(`/((?:19|20)[0-9]{2})[/-]([01]?[0-9])[/-]([0-3]?[0-9])(?:[/_.-]|$)`)

// dateInPath is the day in a path: /2024/05/06/title.
func dateInPath(path string) string {
	match := pathDate.FindStringSubmatch(clip.Bytes(path, FieldBytesMax))
	if match == nil {
		return ""
	}
	t, err := time.Parse("2006-1-2", match[1]+"-"+match[2]+"-"+match[3])
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}
