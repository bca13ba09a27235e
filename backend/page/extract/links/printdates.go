package links

import "strings"

// datedBytesMax is the greatest length of a word that may belong to a date.
const datedBytesMax = 12

// isDated reports whether a word belongs to a date, or is a number of up to four digits, which may count days, pages or
// years. Measures and prices do not count.
func isDated(word string) bool {
	if len(word) > datedBytesMax+2 {
		return false
	}
	for len(word) > 0 && !isLetterOrDigit(word[0]) {
		word = word[1:]
	}
	for len(word) > 0 && !isLetterOrDigit(word[len(word)-1]) {
		word = word[:len(word)-1]
	}
	switch {
	case word == "" || len(word) > datedBytesMax:
		return false
	case word[0] <= '9':
		return isDateOrCount(word)
	}
	return isDayOrMonth(word)
}

// isDateOrCount is isDated for words that begin with a digit.
func isDateOrCount(word string) bool {
	digits, points, colons := 0, 0, 0
	for i := range len(word) {
		switch c := word[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == '-', c == '.', c == '/':
			points++
		case c == ':':
			colons++
		default:
			rest := strings.ToLower(word[i:]) // 22nd
			return i == digits && i <= 2 && (rest == "st" || rest == "nd" || rest == "rd" || rest == "th")
		}
	}
	return points == 0 && colons == 0 && digits <= 4 || points == 2 && colons == 0 || points == 0 && colons > 0
}

// isDayOrMonth is isDated for words that begin with a letter. The first letter and the length decide for most words.
func isDayOrMonth(word string) bool {
	first := word[0] | 0x20
	if first < 'a' || first > 'z' || dayOrMonthLengths[first-'a']&(1<<len(word)) == 0 {
		return false
	}
	small := make([]byte, 0, datedBytesMax)
	for i := range len(word) {
		b := word[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		small = append(small, b)
	}
	return daysAndMonths[string(small)]
}

func isLetterOrDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c >= 0x80
}

// daysAndMonths are their names in English, German, French, Spanish, Italian, Portuguese and Dutch.
var daysAndMonths = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`
		january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec
		monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun mo tu we th fr sa su am pm today
		januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag di mi do so uhr
		janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche
		enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo
		gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica
		janeiro fevereiro março maio junho julho setembro outubro novembro dezembro segunda terça quarta quinta sexta
		januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag`) {
		all[name] = true
	}
	return all
}()

// dayOrMonthLengths are the lengths of the names that begin with a letter, one bit each.
var dayOrMonthLengths = func() (lengths ['z' - 'a' + 1]uint16) {
	for name := range daysAndMonths {
		lengths[name[0]-'a'] |= 1 << len(name)
	}
	return lengths
}()
