package pdf

import (
	"strings"
	"unicode"
)

// qualityOf is which share of the pages with anything on them has text, times the share of the characters that are known.
func qualityOf(r *reader, pages []pageText) float64 {
	shown, read := 0, 0
	for i := range pages {
		switch p := &pages[i]; {
		case p.glyphs >= 20 || p.glyphs > 0 && p.pictures == 0:
			shown++
			read++
		case p.pictures > 0 || p.glyphs > 0:
			shown++
		}
	}
	if shown == 0 || r.seenGlyphs == 0 {
		return 0
	}
	known := 1 - float64(r.unknownGlyphs)/float64(r.seenGlyphs)
	return float64(read) / float64(shown) * known
}

// sampleBytes is how much text is looked at to tell whether it is plausible.
const sampleBytes = 200_000

// plausible is which share of the words looks like words: letters or numbers, of usual length, without signs in between.
func plausible(doc *Document) float64 {
	good, all, bytes := 0, 0, 0
	for i := range doc.Blocks {
		if bytes > sampleBytes {
			break
		}
		b := &doc.Blocks[i]
		bytes += len(b.Text)
		for word := range strings.FieldsSeq(b.Text) {
			count(word, &good, &all)
		}
		for _, row := range b.Rows {
			for _, cell := range row {
				bytes += len(cell)
				for word := range strings.FieldsSeq(cell) {
					count(word, &good, &all)
				}
			}
		}
	}
	if all == 0 {
		return 0
	}
	// Some signs are in every text; only what goes beyond that tells against it.
	return min(1, float64(good)/float64(all)*1.1)
}

func count(word string, good, all *int) {
	alphanumeric, runes, odd := 0, 0, 0
	for _, r := range word {
		runes++
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			alphanumeric++
		case r == '\uFFFD' || unicode.IsControl(r):
			odd++
		}
	}
	*all++
	if odd == 0 && alphanumeric*2 >= runes && (runes <= 40 || strings.ContainsAny(word, "/._-") || ideographic([]rune(word)[0])) {
		*good++
	}
}
