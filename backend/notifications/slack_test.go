package notifications

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestJudgeSlack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code    int
		body    string
		wait    string
		refused bool
		says    string
	}{
		{200, "ok", "", false, ""},
		{400, "invalid_payload", "", true, "answered 400: invalid_payload"},
		{403, "action_prohibited\n", "", true, "answered 403: action_prohibited"},
		{404, "no_service", "", true, "answered 404: no_service"},
		{410, "channel_is_archived", "", true, "answered 410: channel_is_archived"},
		{408, "", "", false, "answered 408"},
		{429, `{"ok":false}`, "30", false, "answered 429"},
		{500, "rollup_error", "", false, "answered 500: rollup_error"},
		{503, "<html>\r\nlong", "", false, "answered 503"},
		{302, "", "", false, "answered 302"},
	} {
		s, err := judgeSlack(tt.code, http.Header{"Retry-After": {tt.wait}}, []byte(tt.body))
		if s.refused != tt.refused || (err == nil) != (tt.says == "") || err != nil && err.Error() != tt.says {
			t.Errorf("%d %s: got %+v, %v, want refused %v, %q", tt.code, tt.body, s, err, tt.refused, tt.says)
		}
		if tt.wait != "" && s.retryAfter != 30*time.Second {
			t.Errorf("%d: got a wait of %s, want 30 s", tt.code, s.retryAfter)
		}
	}
}

// Slack's reply becomes a short error on one line, whatever it is.
func FuzzSlackAnswer(f *testing.F) {
	f.Add(404, "no_service", "")
	f.Add(429, "rate_limited", "1")
	f.Add(500, "\x00\r\n", "99999999999999999999")
	f.Fuzz(func(t *testing.T, code int, body, wait string) {
		s, err := judgeSlack(code, http.Header{"Retry-After": {wait}}, []byte(body))
		if (err == nil) != (code/100 == 2) || s.refused && err == nil || s.retryAfter < 0 {
			t.Errorf("got %+v, %v", s, err)
		}
		if err != nil && (len(err.Error()) > 200 || strings.ContainsAny(err.Error(), "\r\n\x00<")) {
			t.Errorf("got %q, want a short line", err)
		}
	})
}

func worst(n int) *Message {
	text := strings.Repeat("&", valueRunesMax)
	m := &Message{More: 3}
	for range n {
		notice := Notice{EventID: "event_1", MonitorID: "monitor_1", Event: "changed", Query: text[:queryRunesMax], Summary: text, MoreChanges: 1}
		for range changesMax {
			notice.Changes = append(notice.Changes, Change{
				Page: "https://example.com/?" + strings.Repeat("&", 115), Kind: text, Path: text, Before: text, After: text,
			})
		}
		m.Notices = append(m.Notices, notice)
	}
	return m
}

// A message stays within Slack's limits, even if every character is escaped.
func TestSlackLimits(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, noticesMax} {
		p := slackMessage(worst(n))
		if len(p.Blocks) > 50 || len(p.Blocks) < 3 {
			t.Errorf("%d notices: got %d blocks, want at most 50", n, len(p.Blocks))
		}
		for _, b := range p.Blocks {
			most := 3000
			if b.Type == "header" {
				most = 150
			}
			for _, text := range append(b.Elements, *orNone(b.Text)) {
				if got := utf8.RuneCountInString(text.Text); got > most {
					t.Errorf("%s: got %d characters, want at most %d", b.Type, got, most)
				}
				if b.Type != "header" && strings.Count(text.Text, "&") != strings.Count(text.Text, "&amp;") {
					t.Errorf("%s: got an escape that is cut: %s", b.Type, text.Text)
				}
			}
		}
		if last := p.Blocks[len(p.Blocks)-1]; !strings.HasPrefix(last.Elements[0].Text, "And ") {
			t.Errorf("%d notices: got %+v at the end, want how many more there are", n, last)
		}
	}
}

func orNone(text *slackText) *slackText {
	if text == nil {
		return &slackText{}
	}
	return text
}

func FuzzLink(f *testing.F) {
	key := []byte(strings.Repeat("k", 32))
	f.Add(sealLink(key, link{"team_a", "monitor_1", "ann@example.com"}))
	f.Add("AAAA.AAAA")
	f.Add(".")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := openLink(key, text)
		if err == nil && sealLink(key, l) != text {
			t.Errorf("%q: got %+v, which is sealed otherwise", text, l)
		}
	})
}

// Any event data becomes a message: one line where required, valid text everywhere, JSON for Slack.
func FuzzNotice(f *testing.F) {
	f.Add("monitor.changed", `{"summary": "a\r\nb", "query": "c", "diff": {"unified": "+a\n-b", "changes": []}}`)
	f.Add("monitor.failed", `{"error": "x", "diff": {"changes": [{"page": "javascript:x", "before": "\u202e"}], "more": -5}}`)
	f.Add("x", `[1`)
	s := &Service{config: Config{Now: time.Now, PublicURL: "https://api.example.com"}, key: []byte("k")}
	f.Fuzz(func(t *testing.T, kind, data string) {
		m := &Message{ID: "message_1", TeamID: "team_a", Target: "a@b.c", Channel: "email", Notices: []Notice{notice(kind, []byte(data), false)}}
		subject := m.Subject()
		if strings.ContainsAny(subject, "\r\n\x00") || utf8.RuneCountInString(subject) > subjectRunesMax || !utf8.ValidString(subject) {
			t.Errorf("got the subject %q", subject)
		}
		l, err := s.letter(m)
		if err != nil || strings.Contains(l.html, "<script") || strings.Contains(l.html, "javascript:") {
			t.Errorf("got %v, %v", l, err)
		}
		if _, err := json.Marshal(slackMessage(m)); err != nil {
			t.Error(err)
		}
	})
}
