package notifications

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// slackAnswerBytesMax is how much of Slack's response is read: a word.
	slackAnswerBytesMax = 1 << 10
	// Slack's limits: characters of a header and of a section's text, and blocks of a message.
	slackHeaderRunesMax  = 150
	slackSectionRunesMax = 3000
	slackBlocksMax       = 50
	// slackChangesMax is how many changes of an event are shown, and slackDigestMax how many events of a digest.
	slackChangesMax = 5
	slackDigestMax  = 15
)

type slackText struct {
	Type string `json:"type"`
	Text string `json:"text"`
	// Emoji, if false, keeps names between colons in plain text as they are.
	Emoji *bool `json:"emoji,omitempty"`
	// Verbatim keeps names and URLs in markup from becoming links or mentions.
	Verbatim bool `json:"verbatim,omitempty"`
}

type slackBlock struct {
	Type     string      `json:"type"`
	Text     *slackText  `json:"text,omitempty"`
	Elements []slackText `json:"elements,omitempty"`
}

type slackPayload struct {
	// Text is shown where blocks are not, such as in phone notifications.
	Text        string       `json:"text"`
	Blocks      []slackBlock `json:"blocks"`
	UnfurlLinks bool         `json:"unfurl_links"`
	UnfurlMedia bool         `json:"unfurl_media"`
}

// slackEscapes escapes the three characters with a meaning in Slack's text, so that text can neither mention anyone nor link.
var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escaped(text string) string { return slackEscapes.Replace(text) }

func header(text string) slackBlock {
	no := false
	return slackBlock{Type: "header", Text: &slackText{Type: "plain_text", Text: clip.Chars(text, slackHeaderRunesMax), Emoji: &no}}
}

// section is a paragraph of escaped text. Callers must not cut text within an escape.
func section(text string) slackBlock {
	return slackBlock{Type: "section", Text: &slackText{Type: "mrkdwn", Text: text, Verbatim: true}}
}

func footnote(text string) slackBlock {
	return slackBlock{Type: "context", Elements: []slackText{{Type: "mrkdwn", Text: text, Verbatim: true}}}
}

// changeText formats a change in Slack's markup. Each part fits the limits even if every character is escaped.
func changeText(c *Change) string {
	const runesMax = slackSectionRunesMax / 5 / 5 // an escape has at most five runes
	var lines []string
	title := c.Path
	if title == "" {
		title = first(c.Kind)
	}
	lines = append(lines, "*"+escaped(clip.Chars(title, runesMax))+"*")
	if u := escaped(place(c.Page)); u != "" && len(u) < slackSectionRunesMax/5 && !strings.ContainsAny(u, "| ") {
		lines = append(lines, "<"+u+"|"+escaped(clip.Chars(short(c.Page), 60))+">")
	}
	for _, part := range []struct{ sign, text string }{{"− ", c.Before}, {"+ ", c.After}} {
		if part.text != "" {
			lines = append(lines, part.sign+escaped(clip.Chars(part.text, runesMax)))
		}
	}
	return strings.Join(lines, "\n")
}

// slackMessage builds Slack's payload for a message.
func slackMessage(m *Message) slackPayload {
	p := slackPayload{Text: escaped(m.Subject())}
	shown := m.Notices
	if m.Digest() {
		p.Blocks = append(p.Blocks, header(fmt.Sprintf("%d notifications", len(m.Notices)+m.More)))
		shown = shown[:min(len(shown), slackDigestMax)]
	}
	for i := range shown {
		p.Blocks = append(p.Blocks, noticeBlocks(&shown[i], m.Digest())...)
	}
	if rest := len(m.Notices) + m.More - len(shown); rest > 0 {
		p.Blocks = append(p.Blocks, footnote(fmt.Sprintf("And %d more.", rest)))
	}
	p.Blocks = p.Blocks[:min(len(p.Blocks), slackBlocksMax)]
	return p
}

func noticeBlocks(n *Notice, digest bool) []slackBlock {
	const summaryMax = slackSectionRunesMax / 10
	var blocks []slackBlock
	summary := escaped(clip.Chars(n.Summary, summaryMax))
	switch {
	case !digest:
		blocks = append(blocks, header(n.Title()))
		if summary != "" {
			blocks = append(blocks, section(summary))
		}
	default:
		blocks = append(blocks, section("*"+escaped(clip.Chars(n.Title(), slackHeaderRunesMax))+"*\n"+summary))
	}
	changes := n.Changes
	if digest {
		changes = changes[:min(1, len(changes))]
	}
	changes = changes[:min(slackChangesMax, len(changes))]
	for i := range changes {
		blocks = append(blocks, section(changeText(&changes[i])))
	}
	note := fmt.Sprintf("%s · %s · %s", utc(n.At), escaped(n.MonitorID), escaped(n.EventID))
	if more := n.MoreChanges + len(n.Changes) - len(changes); more > 0 {
		note = fmt.Sprintf("And %d more changes · ", more) + note
	}
	return append(blocks, footnote(note))
}

// postSlack posts a message.
func (s *Service) postSlack(ctx context.Context, m *Message) (said, error) {
	u, err := s.config.Targets.slackURL(m.Target)
	if err != nil { // it was valid when it was set
		return said{refused: true}, err
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(slackMessage(m)); err != nil {
		return said{}, fmt.Errorf("writing a message for Slack: %w", err)
	}
	response, err := s.config.Client.Do(ctx, fetch.Request{
		Method: http.MethodPost, URL: u, Body: body.Bytes(), NoRedirects: true, HeadBytes: slackAnswerBytesMax,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}},
	})
	if err != nil {
		return said{}, errors.New(string(fetch.ReasonOf(err))) // the full error contains the URL, which is a secret
	}
	return judgeSlack(response.StatusCode, response.Header, response.Body)
}

// slackWord matches Slack's error words: no_service, invalid_payload.
var slackWord = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// judgeSlack interprets a response. Of the 4xx statuses only 408 and 429 are retried.
func judgeSlack(code int, header http.Header, body []byte) (said, error) {
	s := said{code: code, retryAfter: fetch.RetryAfter(header)}
	if code/100 == 2 {
		return s, nil
	}
	s.refused = code/100 == 4 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests
	word := string(bytes.TrimSpace(body))
	if !slackWord.MatchString(word) {
		return s, fmt.Errorf("answered %d", code)
	}
	return s, fmt.Errorf("answered %d: %s", code, word)
}
