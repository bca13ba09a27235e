package fill

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// words splits a name or label into words, in lower case and without accents: "datePublished", "date_published" and "Date
// published:" give the same. Plurals stay as written.
func words(s string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	wasLower := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case r == 'ß':
			word.WriteString("ss")
		case unicode.IsUpper(r):
			if wasLower {
				end()
			}
			word.WriteRune(unicode.ToLower(r))
		case unicode.IsLetter(r), unicode.IsDigit(r):
			word.WriteRune(r)
		default:
			if r != '\'' && r != '’' {
				end()
			}
		}
		wasLower = unicode.IsLower(r)
	}
	end()
	return out
}

// little are words that are ignored when labels are compared.
var little = set("the a an of der die das des dem den ein eine la le les l el los las lo du de del da do dos il i di un une una und and et y e to for fur pour para")

// generic are words that may be added to a label or left out.
var generic = set("info information details detail value text number no nr num total full current main your our this wert angabe angaben valeur valor")

func set(s string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(s) {
		out[word] = true
	}
	return out
}

// telling leaves out the little words, unless there are no others.
func telling(all []string) []string {
	out := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return little[word] })
	if len(out) == 0 {
		return all
	}
	return out
}

// singular undoes an English plural. The result need not be a word: it is for comparing only.
func singular(word string) string {
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case len(word) > 4 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches")):
		return word[:len(word)-2]
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us"):
		return word[:len(word)-1]
	}
	return word
}

func singulars(all []string) []string {
	out := make([]string, len(all))
	for i, word := range all {
		out[i] = singular(word)
	}
	return out
}

// squash is for comparing values whatever their spelling: "In stock", "in_stock" and "InStock".
func squash(s string) string { return strings.Join(words(s), "") }

// fold joins the words of a text by single spaces.
func fold(s string) string { return strings.Join(strings.Fields(s), " ") }
