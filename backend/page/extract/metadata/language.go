package metadata

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RadhiFadlillah/whatlanggo"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// languageLettersMin is how much text is needed to detect its language.
	languageLettersMin = 100
	languageBytesMax   = 2400
	// languageConfidenceMin is the confidence from which on a guess is used. Of 1,301 real English pages, 5 are mistaken for
	// others and 28 stay without a guess.
	languageConfidenceMin = 0.3
)

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$`)

// LanguageTag returns s if it is a BCP 47 tag, else "".
func LanguageTag(s string) string { return languageTag.FindString(s) }

// language is the declared language of the page, or that of its text if it is clear.
func (c *Claims) language(p Page) string {
	said := []string{c.one["lang"], p.Header.Get("Content-Language")}
	for _, name := range []string{"meta:content-language", "meta:language", "og:locale", "ld:inlanguage"} {
		said = append(said, c.one[name])
	}
	for _, claim := range said {
		// A list names the audience, not the page's language; unfilled templates are no tags.
		if tag := LanguageTag(strings.ReplaceAll(strings.TrimSpace(claim), "_", "-")); tag != "" {
			return tag
		}
	}
	return languageOf(p.sample())
}

// sample is some of the page's text, of its main content if there is any.
func (p Page) sample() string {
	if p.Blocks == nil {
		return ""
	}
	var chosen, all strings.Builder
	for i, block := range p.Blocks.Blocks {
		if i < len(p.Content.Choice.Blocks) && p.Content.Choice.Blocks[i] && chosen.Len() < languageBytesMax {
			chosen.WriteString(block.Text + "\n")
		}
		if all.Len() < languageBytesMax {
			all.WriteString(block.Text + "\n")
		}
	}
	if chosen.Len() >= languageLettersMin {
		return clip.Bytes(chosen.String(), languageBytesMax)
	}
	return clip.Bytes(all.String(), languageBytesMax)
}

// languageOf guesses by statistics of words and letters; "" if the result is not clear.
func languageOf(text string) string {
	letters, wide, kana := 0, 0, 0
	for _, r := range text {
		if r < utf8.RuneSelf {
			if dom.IsLetter(byte(r)) {
				letters++
			}
			continue
		}
		if unicode.IsLetter(r) {
			letters++
			if dom.IsWide(r) {
				wide++
			}
			if 0x3041 <= r && r <= 0x30ff {
				kana++
			}
		}
	}
	if letters+2*wide < languageLettersMin { // a letter of a wide script counts like several others
		return ""
	}
	if 2*wide > letters && 10*kana > wide {
		return "ja" // however many of its letters are Han
	}
	if isPlainlyEnglish(text) {
		return "en"
	}
	if info := whatlanggo.Detect(text); info.Confidence >= languageConfidenceMin {
		return info.Lang.Iso6391()
	}
	return ""
}

// englishWords are common English function words. Other languages share some, but fewer and less often.
var englishWords = dom.Words("the and of to that is for with you this are your from have was were be been it on by or we our an at as not can will " +
	"has but they their what which when how if all more")

const (
	// englishShareMin is the least share of such words in a text: they are a third of prose and about a fifth of other
	// text of pages, while other languages have less than a tenth of them.
	englishShareMin = 0.2
	// articleShareMin is the same for words that hardly any other language has.
	articleShareMin  = 0.04
	englishWordsMin  = 30
	englishBytesMost = 5
)

// isPlainlyEnglish reports whether a text is in English, as most requested pages are. It saves the trigram statistics,
// which take ten times as long.
func isPlainlyEnglish(text string) bool {
	all, known, articles := 0, 0, 0
	var word [englishBytesMost]byte
	size := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (dom.IsLetter(text[i]) || text[i] >= utf8.RuneSelf) {
			if size < len(word) {
				word[size] = text[i] | 0x20 // lower case
			}
			size++
			continue
		}
		if size == 0 {
			continue
		}
		all++
		if size <= len(word) && englishWords[string(word[:size])] {
			known++
			switch string(word[:size]) {
			case "the", "and", "of":
				articles++
			}
		}
		size = 0
	}
	return all >= englishWordsMin && float64(known) >= englishShareMin*float64(all) && float64(articles) >= articleShareMin*float64(all)
}
