package render

import (
	_ "embed"
	"strings"
)

// blockedHosts are hosts that serve adverts or follow visitors, one a line; a name stands for those below it, too.
//
//go:embed hosts.txt
var blockedHosts string

var blockedHostSet = func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(blockedHosts) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			set[name] = true
		}
	}
	return set
}()

// blocklist says which hosts a job does without.
type blocklist struct {
	// own is the entry under which the job's own host falls: who asks for a page of it wants it.
	own string
}

func blocksFor(host string) blocklist { return blocklist{own: entryOf(host)} }

func (b blocklist) has(host string) bool {
	entry := entryOf(host)
	return entry != "" && entry != b.own
}

// entryOf returns the list's entry that host falls under, or "".
func entryOf(host string) string {
	for name := strings.TrimSuffix(strings.ToLower(host), "."); name != ""; {
		if blockedHostSet[name] {
			return name
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return ""
}
