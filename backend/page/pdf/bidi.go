package pdf

import (
	"slices"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/page/pdf/font"
)

// logical turns a line from the order in which it is seen into the order in which it is read. It is a short form of the
// bidirectional algorithm (UAX 9) run backwards: runs of right-to-left letters are reversed, and in a line that is
// mostly of those the order of the runs too. Links in such a line are lost.
func logical(t string, spans []span) (string, []span) {
	right, left := 0, 0
	for _, r := range t {
		switch {
		case r < 0x590:
			if unicode.IsLetter(r) {
				left++
			}
		case font.IsRightToLeft(r):
			right++
		case unicode.IsLetter(r):
			left++
		}
	}
	if right == 0 {
		return t, spans
	}
	runes := []rune(t)
	if right < left {
		reverseRuns(runes, func(r rune) bool { return font.IsRightToLeft(r) || unicode.Is(unicode.Mn, r) })
		return string(runes), nil
	}
	slices.Reverse(runes)
	for i, r := range runes {
		runes[i] = mirrored(r)
	}
	reverseRuns(runes, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsLetter(r) && !font.IsRightToLeft(r)
	})
	return string(runes), nil
}

// reverseRuns reverses runs of what is, with what stands between two of it: spaces, and the points in numbers.
func reverseRuns(runes []rune, is func(rune) bool) {
	for i := 0; i < len(runes); i++ {
		if !is(runes[i]) {
			continue
		}
		end := i + 1
		for j := i + 1; j < len(runes) && j-end < 3; j++ {
			if is(runes[j]) {
				end = j + 1
			} else if !unicode.IsSpace(runes[j]) && !unicode.IsPunct(runes[j]) {
				break
			}
		}
		slices.Reverse(runes[i:end])
		i = end
	}
}

func mirrored(r rune) rune {
	const pairs = "()[]{}<>«»‹›"
	list := []rune(pairs)
	if i := slices.Index(list, r); i >= 0 {
		return list[i^1]
	}
	return r
}
