package keyless

import (
	"regexp"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// posters matches what stands above a post: who wrote it, and when.
var posters = []*regexp.Regexp{
	regexp.MustCompile(`^(\S+(?: \S+){0,2}?) (?:wrote|posted|asked|started|opened|said)(?: this)?(?: topic| thread| question)?(?: on|:|,)? (.{6,40})$`),
	regexp.MustCompile(`^(?i:posted|asked|written|started|opened|question)(?: by|:) (\S+(?: \S+){0,2}?)(?: on|,| ·| \||  ?[–—-]) ?(.{6,40})$`),
}

// poster reads the line above the first post of a thread: who began it, and when. Those of the replies are of nobody who is asked
// for under these names. It reports whether it is such a line.
func (p *page) poster(line string) bool {
	if len(line) > 120 {
		return false
	}
	for _, pattern := range posters {
		m := pattern.FindStringSubmatch(line)
		if m == nil || len(ask.DatesIn(m[2], p.language)) != 1 {
			continue
		}
		if p.posted {
			return true
		}
		p.posted = true
		for _, label := range []string{"member", "author"} {
			p.add(fact{label: label, value: m[1], quote: line, trust: 0.85})
		}
		for _, label := range []string{"asked", "published"} {
			p.add(fact{label: label, value: strings.TrimRight(m[2], "."), quote: line, trust: 0.85})
		}
		return true
	}
	return false
}
