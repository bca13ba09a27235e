package render

import (
	_ "embed"
	"strings"
)

// blockedHosts are hosts of adverts and trackers, one per line; a name includes its subdomains.
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

// blocklist decides which hosts a job does not connect to.
type blocklist struct {
	// own is the entry of the job's own host, which is not blocked.
	own string
}

func blocksFor(host string) blocklist { return blocklist{own: entryOf(host)} }

func (b blocklist) has(host string) bool {
	entry := entryOf(host)
	return entry != "" && entry != b.own
}

// entryOf returns the list entry that covers host, or "".
func entryOf(host string) string {
	for name := strings.TrimSuffix(strings.ToLower(host), "."); name != ""; {
		if blockedHostSet[name] {
			return name
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return ""
}
