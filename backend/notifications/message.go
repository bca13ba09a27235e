package notifications

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/clip"
	"github.com/turnpike-edge/turnpike/db"
)

// Limits of what messages show. The rest is counted.
const (
	noticesMax       = 20
	changesMax       = 10
	changesDigestMax = 3
	unifiedLinesMax  = 60
	unifiedDigestMax = 12
	lineRunesMax     = 300
	valueRunesMax    = 400
	queryRunesMax    = 200
	summaryRunesMax  = 500
	subjectRunesMax  = 120
	teamRunesMax     = 60
	errorRunesMax    = 300
	pageRunesMax     = 2000
)

// Message is one message to an address.
type Message struct {
	ID              string
	Channel, Target string
	Lane            string
	TeamID          string
	// First is the id of the first event, even if it is withheld: with the lane it identifies the message.
	First   string
	Notices []Notice
	More    int // events that are not shown
	// Question is shown instead of all notices; nil: none.
	Question    *Question
	Unsubscribe string // the link; email only
}

// Digest reports whether the message has more than one event.
func (m *Message) Digest() bool { return len(m.Notices)+m.More > 1 }

// Notice is an event in a message. Its texts come from pages: they are plain and short, but not escaped.
type Notice struct {
	EventID, MonitorID string
	Event              string // changed, completed or failed
	Query, Summary     string
	At                 time.Time
	Changes            []Change
	MoreChanges        int
	Unified            []string // lines
	MoreLines          int
}

// Change is one thing that changed.
type Change struct{ Page, Kind, Path, Before, After string }

// told is the part of an event's data that is shown: fields of a monitor's event.
type told struct {
	MonitorID string `json:"monitor_id"`
	Query     string `json:"query"`
	Summary   string `json:"summary"`
	Error     string `json:"error"`
	Diff      *struct {
		Summary string `json:"summary"`
		Unified string `json:"unified"`
		More    int    `json:"more"`
		Changes []struct {
			Page   string   `json:"page"`
			Kind   string   `json:"kind"`
			Path   []string `json:"path"`
			Before string   `json:"before"`
			After  string   `json:"after"`
		} `json:"changes"`
	} `json:"diff"`
}

// message builds a message from the events that are not withheld.
func (s *Service) message(id string, m *db.MessageToSendRow, events []db.EventsOfMessageRow) *Message {
	out := &Message{ID: id, Channel: m.Channel, Target: m.Target, Lane: m.Lane, TeamID: m.TeamID}
	if len(events) > 0 {
		out.First = events[0].EventID
	}
	if m.Channel != outbox.ChannelSlack {
		out.Unsubscribe = s.Unsubscribe(m.TeamID, m.Target)
	}
	events = slices.DeleteFunc(slices.Clone(events), func(e db.EventsOfMessageRow) bool { return e.Withheld != nil })
	out.More = max(len(events)-noticesMax, 0)
	for i := range events[:len(events)-out.More] {
		e := &events[i]
		n := notice(e.Type, e.Data, len(events) > 1)
		n.EventID, n.MonitorID, n.At = e.EventID, e.Subject, e.CreatedAt
		out.Notices = append(out.Notices, n)
	}
	return out
}

// notice reads an event. Parts of an unexpected form are left out: the event is always reported.
func notice(eventType string, data []byte, digest bool) Notice {
	var t told
	_ = json.Unmarshal(data, &t) // keeps what could be read
	_, event, _ := strings.Cut(eventType, ".")
	n := Notice{Event: event, Query: plain(t.Query, queryRunesMax), Summary: plain(t.Summary, summaryRunesMax)}
	if n.Summary == "" && t.Diff != nil {
		n.Summary = plain(t.Diff.Summary, summaryRunesMax)
	}
	if n.Summary == "" {
		n.Summary = plain(t.Error, summaryRunesMax)
	}
	if t.Diff == nil {
		return n
	}
	most := changesMax
	if digest {
		most = changesDigestMax
	}
	for _, c := range t.Diff.Changes[:min(most, len(t.Diff.Changes))] {
		n.Changes = append(n.Changes, Change{
			Page: whole(c.Page), Kind: plain(c.Kind, valueRunesMax), Path: plain(strings.Join(c.Path, " › "), valueRunesMax),
			Before: plain(c.Before, valueRunesMax), After: plain(c.After, valueRunesMax),
		})
	}
	n.MoreChanges = max(t.Diff.More, 0) + len(t.Diff.Changes) - len(n.Changes)
	if len(n.Changes) > 0 || t.Diff.Unified == "" {
		return n
	}
	lines := strings.Split(strings.TrimRight(t.Diff.Unified, "\n"), "\n")
	if len(lines) > 2 && strings.HasPrefix(lines[0], "---") && strings.HasPrefix(lines[1], "+++") {
		lines = lines[2:] // names of what was compared, which mean nothing to a reader
	}
	shown := min(len(lines), unifiedLinesMax)
	if digest {
		shown = min(shown, unifiedDigestMax)
	}
	for _, line := range lines[:shown] {
		n.Unified = append(n.Unified, clip.Chars(strings.Map(visible, strings.ToValidUTF8(line, "\uFFFD")), lineRunesMax))
	}
	n.MoreLines = len(lines) - shown
	return n
}

// Title says what happened in a few words.
func (n *Notice) Title() string {
	what := n.Query
	if what == "" {
		what = n.MonitorID
	}
	switch n.Event {
	case outbox.EventChanged:
		return "Changed: " + what
	case outbox.EventFailed:
		return "Failed: " + what
	case outbox.EventCompleted:
		return "Checked: " + what
	default:
		return n.Event + ": " + what
	}
}

// Subject is the subject line: the question, the summary of the single event, or the number of events.
func (m *Message) Subject() string {
	if m.Question != nil {
		return plain("Confirm that "+m.Question.Team+" may send you email", subjectRunesMax)
	}
	if m.Digest() {
		return plain(fmt.Sprintf("%d notifications: %s and others", len(m.Notices)+m.More, clip.Chars(m.Notices[0].Title(), subjectRunesMax/2)), subjectRunesMax)
	}
	n := &m.Notices[0]
	switch {
	case n.Summary == "":
		return plain(n.Title(), subjectRunesMax)
	case n.Event == outbox.EventFailed:
		return plain("Failed: "+n.Summary, subjectRunesMax)
	default:
		return plain(n.Summary, subjectRunesMax)
	}
}

// visible drops control characters and those that change the text direction.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
		return -1
	}
	return r
}

// plain is text as one line of at most runesMax runes.
func plain(text string, runesMax int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	return clip.Chars(strings.Map(visible, text), runesMax)
}

// whole is an unchanged URL, since a shortened one leads elsewhere; "" if it is too long or not a single line.
func whole(address string) string {
	if plain(address, pageRunesMax) != address {
		return ""
	}
	return address
}
