package websearch

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/clip"
)

const (
	titleCharsMax   = 300
	snippetCharsMax = 1000
	messageCharsMax = 300
	// textBytesMax is how much of a provider's text is processed.
	textBytesMax = 64 << 10
)

var (
	// hidden is markup whose content is not text.
	hidden = regexp.MustCompile(`(?is)<!--.*?-->|<script\b[^<>]*>.*?</script\s*>|<style\b[^<>]*>.*?</style\s*>`)
	// tag is markup that services put around and between words, and any known element with attributes or an end tag. The
	// bare name of another element is text: "<input>: The Input element" is the title of a reference page.
	tag = regexp.MustCompile(`(?i)</?(?:a|abbr|b|big|br|code|del|div|em|font|i|ins|li|mark|ol|p|s|small|span|strong|sub|sup|u|ul|wbr|script|style)(?:\s[^<>]*)?/?>` +
		`|<(?:audio|button|embed|form|h[1-6]|iframe|img|input|link|meta|object|svg|table|td|th|tr|video)\s[^<>]*>` +
		`|</(?:audio|button|embed|form|h[1-6]|iframe|object|svg|table|td|th|tr|video)\s*>`)
	// entity requires the semicolon: in URLs, an ampersand begins a parameter whose name may look like an entity.
	entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
	// breaking are the tags that are replaced with a space.
	breaking = regexp.MustCompile(`(?i)^</?(?:br|div|li|ol|p|td|th|tr|ul)\b`)
)

// plain converts a provider's text to plain text: without markup, entities, control and invisible characters, on one line,
// of at most charsMax characters. Unescaped text may look like markup again, so code that shows it must escape it.
func plain(text string, charsMax int) string {
	text = clip.Bytes(text, textBytesMax)
	text = hidden.ReplaceAllString(text, " ")
	text = tag.ReplaceAllStringFunc(text, func(found string) string {
		if breaking.MatchString(found) {
			return " "
		}
		return ""
	})
	return clip.Chars(oneLine(entity.ReplaceAllStringFunc(text, html.UnescapeString)), charsMax)
}

// oneLine collapses white space, and removes invisible characters and those that change the direction of text.
func oneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case invisible(r):
			continue
		case space && b.Len() > 0:
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// invisible reports characters that are not visible or change how text is displayed: control characters, direction marks,
// and tags, which have been used to hide instructions to language models. Joiners stay; some scripts need them.
func invisible(r rune) bool {
	switch {
	case r == utf8.RuneError, unicode.IsControl(r):
		return true
	case r == 0x00AD, r == 0x061C, r == 0x200B, r == 0x200E, r == 0x200F, r == 0x2060, r == 0xFEFF:
		return true
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x206F, 0xFFF9 <= r && r <= 0xFFFB, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return false
}

// clean prepares a server's text for a log: short, on one line, without the key.
func clean(text, key string) string {
	text = oneLine(clip.Bytes(text, textBytesMax))
	if key != "" {
		text = strings.ReplaceAll(text, key, "[key]") // before clipping, and after removing characters that could split the key
	}
	return clip.Chars(text, messageCharsMax)
}
