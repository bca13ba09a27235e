package robots

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// BytesMax is how much of a file is read: the 500 KiB that RFC 9309 section 2.5 requires at least.
const BytesMax = 500 << 10

// crawlDelayMax prevents an absurd delay from overflowing.
const crawlDelayMax = 24 * time.Hour

// Rules is a parsed file. It is immutable. The zero value allows everything.
type Rules struct {
	groups   []group
	sitemaps []string
	// unreachableSince is since when the file has been unreachable; zero if it is not.
	unreachableSince time.Time
}

// group is the records under one run of User-agent lines.
type group struct {
	agents   []string // in lower case, may include "*"
	patterns []pattern
	delay    time.Duration
	hasDelay bool
}

// DisallowAll returns the rules for a host whose file has been unreachable since a time through the host's own fault (RFC
// 9309 section 2.3.1.4).
func DisallowAll(since time.Time) *Rules {
	return &Rules{groups: []group{{agents: []string{"*"}, patterns: []pattern{newPattern("/", false)}}}, unreachableSince: since}
}

// UnreachableError says that a host's robots.txt cannot be fetched, so nothing may be; the host itself disallows nothing.
type UnreachableError struct{ Since time.Time }

func (e *UnreachableError) Error() string {
	return "robots.txt has been unreachable since " + e.Since.UTC().Format(time.RFC3339) + ", so nothing may be fetched (RFC 9309)"
}

// Reachable returns an *[UnreachableError] if the rules stand for an unreachable file.
func (r *Rules) Reachable() error {
	if r.unreachableSince.IsZero() {
		return nil
	}
	return &UnreachableError{r.unreachableSince}
}

// Parse parses a file. It accepts any text.
func Parse(text []byte) *Rules {
	text = bytes.TrimPrefix(Head(text), []byte("\xef\xbb\xbf"))
	r := &Rules{}
	open := false // the last group still takes User-agent lines: no rule has followed yet
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		name, value, ok := record(line)
		if !ok {
			continue
		}
		switch name {
		case "user-agent":
			token := productToken(value)
			if token == "" {
				token = "\x00" // an unnamed group is kept, so that its rules do not join the group before it
			}
			if !open {
				r.groups = append(r.groups, group{})
				open = true
			}
			last := &r.groups[len(r.groups)-1]
			last.agents = append(last.agents, token)
		case "allow", "disallow":
			open = false
			r.addRule(name == "allow", value)
		case "crawl-delay":
			r.addDelay(value)
		case "sitemap":
			if value != "" {
				r.sitemaps = append(r.sitemaps, strings.ToValidUTF8(value, "\uFFFD"))
			}
		}
	}
	return r
}

// Head cuts text at BytesMax, at the end of a line: half a rule would be another rule.
func Head(text []byte) []byte {
	if len(text) <= BytesMax {
		return text
	}
	return text[:bytes.LastIndexAny(text[:BytesMax], "\r\n")+1]
}

func cutLine(text []byte) (line, rest []byte) {
	end := bytes.IndexAny(text, "\r\n")
	if end < 0 {
		return text, nil
	}
	return text[:end], text[end+1:]
}

// record splits "Name : value # comment" and returns the name in lower case.
func record(line []byte) (name, value string, ok bool) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	before, after, found := bytes.Cut(line, []byte(":"))
	const longestName = 64
	if before = bytes.TrimSpace(before); !found || len(before) > longestName {
		return "", "", false
	}
	return strings.ToLower(string(before)), string(bytes.TrimSpace(after)), true
}

// productToken returns the token at the start of a User-agent value, in lower case, or "*". RFC 9309 section 2.2.1 has no
// digits and dots in tokens, but real names have them, and cutting there would yield another crawler's name.
func productToken(value string) string {
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		return "*"
	}
	end := strings.IndexFunc(value, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.')
	})
	if end >= 0 {
		value = value[:end]
	}
	return strings.ToLower(value)
}

// addRule skips rules without a group, and empty ones: "Disallow:" forbids nothing.
func (r *Rules) addRule(allow bool, value string) {
	if len(r.groups) == 0 || value == "" {
		return
	}
	last := &r.groups[len(r.groups)-1]
	last.patterns = append(last.patterns, newPattern(value, allow))
}

// addDelay parses Crawl-delay, which is not in the RFC but widely used. The largest of several counts.
func (r *Rules) addDelay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || len(r.groups) == 0 || !(seconds >= 0) {
		return
	}
	last := &r.groups[len(r.groups)-1]
	delay := crawlDelayMax
	if seconds < crawlDelayMax.Seconds() {
		delay = time.Duration(seconds * float64(time.Second))
	}
	last.delay, last.hasDelay = max(last.delay, delay), true
}

// Sitemaps returns the sitemap addresses in the file, as written.
func (r *Rules) Sitemaps() []string { return slices.Clone(r.sitemaps) }

// Group is the rules for one crawler. It is immutable.
type Group struct {
	patterns []pattern // the longest first, and of equals those that allow
	delay    time.Duration
	hasDelay bool
}

// For returns the rules for a crawler with these names: those of all groups that match a name, ignoring case, or else those
// for *.
func (r *Rules) For(agents ...string) *Group {
	g := &Group{}
	if !g.collect(r, func(token string) bool {
		return slices.ContainsFunc(agents, func(agent string) bool { return agent != "*" && strings.EqualFold(agent, token) })
	}) {
		g.collect(r, func(token string) bool { return token == "*" })
	}
	slices.SortStableFunc(g.patterns, func(a, b pattern) int {
		if byLength := cmp.Compare(b.length, a.length); byLength != 0 || a.allow == b.allow {
			return byLength
		}
		if a.allow {
			return -1
		}
		return 1
	})
	return g
}

// collect merges the groups that name a crawler (RFC 9309 section 2.2.1) and reports whether there are any.
func (g *Group) collect(r *Rules, names func(token string) bool) bool {
	found := false
	for i := range r.groups {
		from := &r.groups[i]
		if !slices.ContainsFunc(from.agents, names) {
			continue
		}
		found = true
		g.patterns = append(g.patterns, from.patterns...)
		if from.hasDelay {
			g.delay, g.hasDelay = max(g.delay, from.delay), true
		}
	}
	return found
}

// Allowed reports whether the crawler may fetch url, an absolute URL or a path with its query. The rule with the most
// octets decides, of equals one that allows. Without a rule everything is allowed, and robots.txt itself always is (RFC
// 9309 section 2.2.2).
func (g *Group) Allowed(url string) bool {
	path := normalise(pathOf(url), false)
	if bare, _, _ := strings.Cut(path, "?"); bare == "/robots.txt" {
		return true
	}
	for i := range g.patterns {
		if g.patterns[i].matches(path) {
			return g.patterns[i].allow
		}
	}
	return true
}

// CrawlDelay returns the pause between requests that the file asks of the crawler, at most a day; false if it asks for
// none.
func (g *Group) CrawlDelay() (time.Duration, bool) { return g.delay, g.hasDelay }
