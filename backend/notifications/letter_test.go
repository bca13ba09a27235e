package notifications

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

var update = flag.Bool("update", false, "write the golden files")

const kettle = `{"monitor_id": "monitor_0q2k5t8c4n6d0f2h7w3v1m9x", "query": "price and stock of the blue kettle at shop.example.com",
	"summary": "The price fell from €24.99 to €19.99, and the kettle is in stock again.",
	"diff": {"more": 1, "unified": "", "changes": [
		{"page": "https://shop.example.com/kettles/blue-1-7-l?variant=steel&utm=%s", "kind": "changed", "path": ["Kettles", "Blue kettle, 1.7 l", "Price"],
			"before": "€24.99", "after": "€19.99 <b>Sale</b>"},
		{"page": "https://shop.example.com/kettles/blue-1-7-l?variant=steel", "kind": "added", "path": ["Kettles", "Blue kettle, 1.7 l", "Availability"],
			"after": "In stock. Delivered within two working days, or on the next one to addresses in the city if it is ordered before noon."},
		{"page": "https://shop.example.com/kettles", "kind": "removed", "before": "%s"}]}}`

const release = `{"monitor_id": "monitor_7w3v1m9x0q2k5t8c4n6d0f2h", "query": "releases of the tool", "summary": "Version 2.4.0 was released.",
	"diff": {"changes": [], "unified": "--- before\n+++ after\n@@ -1,2 +1,3 @@\n # Releases\n+## 2.4.0, 3 March 2026\n-## 2.3.9 (latest)\n+## 2.3.9\n"}}`

func letterRows(n int) []db.EventsOfMessageRow {
	long := strings.Repeat("anunbreakablenameofaproduct", 6)
	at := time.Date(2026, time.March, 3, 14, 5, 0, 0, time.UTC)
	rows := []db.EventsOfMessageRow{
		{EventID: "event_4m2c8x6z1b5v9n3k7j0h2g4f", Subject: "monitor_0q2k5t8c4n6d0f2h7w3v1m9x", Type: "monitor.changed", Data: fmt.Appendf(nil, kettle, long, long), CreatedAt: at},
		{EventID: "event_5m2c8x6z1b5v9n3k7j0h2g4f", Subject: "monitor_7w3v1m9x0q2k5t8c4n6d0f2h", Type: "monitor.changed", Data: []byte(release), CreatedAt: at.Add(time.Minute)},
		{EventID: "event_6m2c8x6z1b5v9n3k7j0h2g4f", Subject: "monitor_7w3v1m9x0q2k5t8c4n6d0f2h", Type: "monitor.failed", Data: []byte(`{"query": "releases of the tool", "summary": "The page answered 503 ten times in a row."}`), CreatedAt: at.Add(2 * time.Minute)},
	}
	return rows[:n]
}

// Golden files of mails, to be reviewed when they change.
func TestLetters(t *testing.T) {
	t.Parallel()
	s := &Service{key: []byte("k"), confirmKey: []byte("c"), config: Config{PublicURL: "https://api.example.com", Now: func() time.Time { return time.Unix(0, 0) }}}
	for name, rows := range map[string][]db.EventsOfMessageRow{"change": letterRows(1), "text": letterRows(2)[1:], "digest": letterRows(3), "confirm": letterRows(1)} {
		m := s.message("message_1", &db.MessageToSendRow{TeamID: "team_a", Channel: "email", Target: "ann@example.com", Lane: "lane"}, rows)
		if name == "confirm" {
			m.Question = &Question{"“Blue & <Kettle>”", "api.example.com", s.Confirmation("team_a", "ann@example.com", time.Unix(0, 0))}
		}
		l, err := s.letter(m)
		if err != nil {
			t.Fatal(err)
		}
		for kind, got := range map[string]string{"html": l.html, "txt": l.subject + "\n\n" + l.text} {
			file := filepath.Join("testdata", name+"."+kind)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
			}
		}
	}
}

// Unsubscribe links of old mails, which name a monitor, still end mail to their address.
func TestLinksOfOldMail(t *testing.T) {
	t.Parallel()
	const old = "dGVhbV9hAG1vbml0b3JfMHEyazV0OGM0bjZkMGYyaDd3M3YxbTl4AGFubkBleGFtcGxlLmNvbQ.trjgMl7gzghCHxQcjsHif6PDkZ7j7fG6ylGc5WugwC8"
	if got, err := openLink([]byte("k"), old); err != nil || got.teamID != "team_a" || got.address != "ann@example.com" {
		t.Errorf("got %+v, %v, want team_a and ann", got, err)
	}
}

// A long address is shown completely or not at all: shortened, it would lead elsewhere.
func TestLongAddresses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		runes int
		shown bool
	}{{1000, true}, {3000, false}} {
		page := "https://example.com/" + strings.Repeat("a", tc.runes)
		n := notice("monitor.changed", []byte(`{"diff": {"changes": [{"page": "`+page+`", "kind": "changed", "after": "x"}]}}`), false)
		want := ""
		if tc.shown {
			want = page
		}
		if got := n.Changes[0].Page; got != want {
			t.Errorf("%d characters: got %q", tc.runes, got)
		}
	}
}
