// Package sniff guesses the encoding of unlabeled text from the letters that the text decodes to.
package sniff

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

const (
	// bytesMax is how much of a body is examined for its encoding, from the first non-ASCII byte.
	bytesMax = 16 << 10
	// shareMin is the minimum share of a text's non-ASCII letters that must be frequent letters of an encoding's
	// languages; wrongly decoded text has them only by chance.
	shareMin = 0.25
	// lead is by how much an encoding must beat windows-1252, the encoding of most unlabeled text.
	lead = 0.1
	// brokenUTF8Max is the percentage of broken sequences in text that is still taken for UTF-8.
	brokenUTF8Max = 5
)

// legacy is an encoding from before UTF-8, with non-ASCII letters and signs that are frequent in its languages. Encodings
// of one script share a list: only the right one yields these letters, in the right case.
type legacy struct {
	name     string // of the WHATWG encoding standard
	script   script
	frequent map[rune]bool
}

// script says where non-ASCII letters occur in a text.
type script int

const (
	latin    script = iota // single, among ASCII letters
	alphabet               // in words of their own
	ideogram               // anywhere
)

const (
	cyrillic = "оеаинтсрвлкмдпуяыьгзбчйхіїє"
	greek    = "αεηιοτσνρςκπυλμωάέήίόύώδγθχ"
	arabic   = "اليمنوترهبدعفسكأقجةحش"
	hebrew   = "יוהלאתרמבשנדחקםעפןכט"
)

// legacies are tried in this order; of equals the first wins. windows-1252 also stands for all unlisted encodings.
var legacies = []legacy{
	{"windows-1252", latin, letters("éèêëàâáãäåæçñòóôõöøùúûüíìîïýßœÉÀÄÖÜÅØ¿¡ºª’‘“”„–—…«»€£©®°·•\u00a0")},
	{"windows-1250", latin, letters("ąćęłńóśźżáčďéěíňřšťúůýžöüőűăâîşţäôľŚŻŁŠČŘŽ„”’“–…\u00a0")},
	{"windows-1254", latin, letters("çğıöşüİŞÇÖÜâî’“”–…\u00a0")},
	{"windows-1251", alphabet, letters(cyrillic)},
	{"koi8-r", alphabet, letters(cyrillic)},
	{"ibm866", alphabet, letters(cyrillic)},
	{"iso-8859-5", alphabet, letters(cyrillic)},
	{"windows-1253", alphabet, letters(greek)},
	{"windows-1256", alphabet, letters(arabic)},
	{"windows-1255", alphabet, letters(hebrew)},
	{"windows-874", alphabet, letters("านรอกเงมยลวดทสตะปบคหแจพช่้ัิี็")},
	{"shift_jis", ideogram, letters(japaneseLetters)},
	{"euc-jp", ideogram, letters(japaneseLetters)},
	{"euc-kr", ideogram, letters("이다는에의가을한고를로하지은기사도서인시대어그해자과있리나전일정들수아스부으상보제라만여성동주장게와구면원것진" +
		"조유국신연마우관트세중요안비경오위없용공소모선했계미개년되적분거내회행문했할학실생")},
	{"gbk", ideogram, letters(hanzi + "这来们说会时为国过没后对学发还经动现问开业进种点无实间样两关车门见长电与产话网图")},
	{"big5", ideogram, letters(hanzi + "這來們說會時為國過沒後對學發還經動現問開業進種點無實間樣兩關車門見長電與產話網圖")},
}

const (
	japaneseLetters = "のにたいをはしがとでてなるあっもすんかられりまこくさそきうけえよせだどじつめれおみわやべばげごぶーンスルトイリアラクコタシレロマッドジムィテサニグプ日本人年大会一国、。「」"
	hanzi           = "的一是不了在人有我他大上中到以地子和你就出要也下可年生自心那得着成好用天能多方面事行所道部公全新市分"
)

func letters(s string) map[rune]bool {
	set := make(map[rune]bool, len(s))
	for _, r := range s {
		set[r] = true
	}
	return set
}

// Charset guesses the encoding of unlabeled text that is not valid UTF-8.
func Charset(body []byte) string {
	sample := firstBeyondASCII(body)
	if mostlyUTF8(sample) {
		return "utf-8"
	}
	best, bestShare := legacies[0].name, share(sample, &legacies[0])
	needed := max(bestShare+lead, shareMin)
	for i := range legacies[1:] {
		candidate := &legacies[1+i]
		if got := share(sample, candidate); got >= needed && got > bestShare {
			best, bestShare = candidate.name, got
		}
	}
	return best
}

func firstBeyondASCII(body []byte) []byte {
	for i, c := range body {
		if c >= utf8.RuneSelf {
			return body[i:min(len(body), i+bytesMax)]
		}
	}
	return nil
}

// mostlyUTF8 recognizes UTF-8 with a few broken sequences, as in text that was cut or pasted together: in other encodings,
// non-ASCII bytes hardly ever form a sequence.
func mostlyUTF8(sample []byte) bool {
	whole, broken := 0, 0
	for i := 0; i < len(sample); {
		r, size := utf8.DecodeRune(sample[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			broken++
		case size > 1:
			whole++
		}
		i += max(size, 1)
	}
	return whole > 0 && broken*100 <= whole*brokenUTF8Max
}

// share returns which share of the non-ASCII text is frequent letters of an encoding, minus undecodable text.
func share(sample []byte, l *legacy) float64 {
	encoding, _ := charset.Lookup(l.name)
	if encoding == nil {
		return 0
	}
	text, err := encoding.NewDecoder().Bytes(sample)
	if err != nil {
		return 0
	}
	all, frequent := 0, 0
	before, at := ' ', ' '
	for _, after := range string(text) + " " {
		if at >= utf8.RuneSelf {
			all++
			switch {
			case at == utf8.RuneError, at < firstPrintable, boxFirst <= at && at <= boxLast: // never in real text
				frequent--
			case l.frequent[at] && l.script.fits(before, after):
				frequent++
			}
		}
		before, at = at, after
	}
	if all == 0 {
		return 0
	}
	return float64(frequent) / float64(all)
}

const (
	firstPrintable = 0xA0
	// Box drawing and block elements, frequent in DOS encodings.
	boxFirst, boxLast = 0x2500, 0x259F
)

// fits reports whether a non-ASCII letter may occur between before and after.
func (s script) fits(before, after rune) bool {
	switch s {
	case latin:
		return !beyondLetter(before) || !beyondLetter(after)
	case alphabet:
		return !asciiLetter(before) && !asciiLetter(after)
	default:
		return true
	}
}

func asciiLetter(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

func beyondLetter(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }
