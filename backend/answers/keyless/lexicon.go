package keyless

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

//go:embed lexicon.txt
var lexiconText string

//go:embed labels.txt
var labelsText string

// sense is something that labels and tasks speak of.
type sense struct {
	name, kind string
}

// senses are those of the lexicon, by the words of their phrases in the singular; plurals are those that say something else than
// their singular, as "seats" do, by their words as they are.
var senses, plurals = func() (map[string]*sense, map[string]*sense) {
	out, exact, named := map[string]*sense{}, map[string]*sense{}, map[string]*sense{}
	var order []string
	for _, text := range []string{lexiconText, labelsText} {
		for line := range strings.Lines(text) {
			fields := strings.Split(strings.TrimSpace(line), "|")
			if len(fields) != 3 || strings.HasPrefix(line, "#") {
				continue
			}
			name := strings.TrimSpace(fields[0])
			s := named[name]
			if s == nil {
				s = &sense{name, strings.TrimSpace(fields[1])}
				named[name] = s
			}
			for phrase := range strings.SplitSeq(fields[2], ",") {
				all := words(phrase)
				key := strings.Join(singulars(all), " ")
				whole := strings.Join(all, " ")
				switch {
				case whole == key && out[key] == nil:
					out[key] = s
				case whole != key && exact[whole] == nil:
					exact[whole] = s
					order = append(order, whole)
				}
			}
		}
	}
	// A singular that only stands for a plural comes after those that are written.
	for _, whole := range order {
		if key := strings.Join(singulars(strings.Fields(whole)), " "); out[key] == nil {
			out[key] = exact[whole]
		}
	}
	for whole, s := range exact {
		if key := strings.Join(singulars(strings.Fields(whole)), " "); out[key] == s {
			delete(exact, whole)
		}
	}
	return out, exact
}()

// phrasesBy is how many words the longest phrase has that begins with a word.
var phrasesBy = func() map[string]int {
	out := map[string]int{}
	for key := range senses {
		all := strings.Fields(key)
		out[all[0]] = max(out[all[0]], len(all))
	}
	return out
}()

// kindOf is the kind of value of a sense by its name.
var kindOf = func() map[string]string {
	out := map[string]string{}
	for _, s := range senses {
		out[s.name] = s.kind
	}
	return out
}()

func set(s string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(s) {
		out[word] = true
	}
	return out
}

var (
	// little are words without which a label says the same.
	little = set("the a an of for in on at to is are was were be been it its this that these those and or by as with from which who whom whose what when where how there " +
		"has have had does do did will one ones per der die das des dem den ein eine von zu la le les l el los las du de del da i my our your his her their he she they we you")
	// generic are words that descriptions have about values, not about things.
	generic = set("name number value text string integer boolean date year time day days hours minutes months official full current total exact given please e g eg ie etc " +
		"info information detail details data main whole list all any each unit units form format iso yyyy mm dd count amount figure " +
		"whether true false yes no na null either thing entry field official today now currently year's s " +
		"much many long often called known stated listed page site according url address code also see " +
		"euro euros dollar dollars pound pounds currency sign symbol plain without only just decimal digits written word words part " +
		"someone something anyone person people company firm organisation organization product item article subject place")
	// unitWords say in what a value is measured.
	unitWords = set("mm cm m km metre metres meter meters kilometre kilometres kilometer kilometers ft feet mile miles g kg gram grams kilogram kilograms kilos tonne tonnes t " +
		"l ml litre litres liter liters ha hectare hectares km2 m2 sqkm sqm square cubic min minute minutes hour hours h sec second seconds day days week weeks month months " +
		"year years eur usd gbp chf percent per cent pct degrees degree celsius c f kw kilowatt kilowatts w watt watts kwh kcal kmh mph knots gb mb tb working")
)

// words are the words of a name or a text in lower case, without accents: "openingDate", "opening_date" and "Opening date:" have
// the same.
func words(s string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	lower := false
	if !isASCII(s) {
		s = norm.NFKD.String(s)
	}
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case r == 'ß':
			word.WriteString("ss")
		case unicode.IsLetter(r), unicode.IsDigit(r):
			if lower && unicode.IsUpper(r) {
				end()
			}
			word.WriteRune(unicode.ToLower(r))
		case r == '\'' || r == '’':
			continue
		default:
			end()
		}
		lower = unicode.IsLower(r)
	}
	end()
	return out
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// plainWords are words without taking names apart at capitals, as names of things are compared.
func plainWords(s string) []string { return words(strings.ToLower(s)) }

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

// terms are what words speak of: senses by name, the longest phrases first, and the other words that tell something, in the
// singular. Words of units and of values in general are left out.
func terms(all []string) []string {
	var out []string
	folded := singulars(all)
	for i := 0; i < len(folded); {
		n := phraseAt(folded[i:])
		if n > 0 {
			s := senses[strings.Join(folded[i:i+n], " ")]
			if other := plurals[strings.Join(all[i:i+n], " ")]; other != nil {
				s = other
			}
			out = append(out, s.name)
			i += n
			continue
		}
		word := all[i]
		if !little[word] && !generic[word] && !unitWords[word] && !generic[folded[i]] && (len(word) > 1 || word[0] >= '0' && word[0] <= '9') {
			out = append(out, folded[i])
		}
		i++
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// phraseAt is how many words at the beginning are a phrase of the lexicon.
func phraseAt(folded []string) int {
	if len(folded) == 0 {
		return 0
	}
	for n := min(phrasesBy[folded[0]], len(folded)); n > 0; n-- {
		if senses[strings.Join(folded[:n], " ")] != nil {
			return n
		}
	}
	return 0
}

// isYear reports whether a word is a year of the Gregorian calendar as people write it.
func isYear(word string) bool {
	return len(word) == 4 && (word[0] == '1' && word[1] >= '0' || word[0] == '2' && word[1] == '0') && strings.Trim(word, "0123456789") == ""
}
