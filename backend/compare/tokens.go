package compare

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is what a token means.
type tokenKind uint8

const (
	tokenWord tokenKind = iota
	tokenSign
	tokenNumber
	tokenMoney
	tokenPercent
	tokenDate
	tokenTime
	tokenVersion
	tokenID
	// tokenPassing is what differs by when, where and by whom a page is asked for: "5 minutes ago".
	tokenPassing
)

// names are those of ValueChange.Type.
var tokenTypes = map[tokenKind]string{
	tokenNumber: "number", tokenMoney: "money", tokenPercent: "percent", tokenDate: "date", tokenTime: "time", tokenVersion: "version",
}

// token is a part of a text that means something.
type token struct {
	kind tokenKind
	// norm is the same for tokens that mean the same.
	norm string
	// lower is the word in lower case, for words.
	lower string
	unit  string
	begin int
	end   int
}

// tokensMax bounds the tokens of a block.
const tokensMax = 4_000

// scanner makes tokens of a text.
type scanner struct {
	text  string
	comma bool // the language writes 1.299,00
	out   []token
}

// commaLanguages write the fraction of a number after a comma.
var commaLanguages = setOf("de fr es it nl pt pl cs sv da no nb nn fi ru tr ro hu el uk bg sk sl hr sr lt lv et id vi ca gl eu is")

// tokensOf reads a text that is clean. Language is a BCP 47 tag, or "".
func tokensOf(text, language string) []token {
	main, _, _ := strings.Cut(strings.ToLower(language), "-")
	s := &scanner{text: text, comma: commaLanguages[main]}
	s.scan()
	s.join()
	return s.out
}

// scan cuts the text where white space and signs are.
func (s *scanner) scan() {
	for i := 0; i < len(s.text) && len(s.out) < tokensMax; {
		c := s.text[i]
		if c == ' ' {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(s.text[i:]); r == '\u00a0' {
				i += size
				continue
			}
		}
		if !isWordRune(r) {
			s.out = append(s.out, token{kind: tokenSign, norm: s.text[i : i+size], begin: i, end: i + size})
			i += size
			continue
		}
		end := s.wordEnd(i)
		s.word(i, end)
		i = end
	}
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9' || isLetter(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// wordEnd is the end of a word: letters and digits, and the signs within it that hold it together.
func (s *scanner) wordEnd(i int) int {
	for i < len(s.text) {
		c := s.text[i]
		if c < utf8.RuneSelf {
			if isLetter(c) || isDigit(c) {
				i++
				continue
			}
			if strings.IndexByte(".,:-/_'@+", c) >= 0 && i+1 < len(s.text) && s.holds(i) {
				i++
				continue
			}
			return i
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if r == '\u00a0' && i > 0 && isDigit(s.text[i-1]) && threeDigits(s.text[i+size:]) {
			i += size
			continue
		}
		if !isWordRune(r) {
			return i
		}
		i += size
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// threeDigits reports whether a text begins with three digits and no fourth.
func threeDigits(text string) bool {
	return len(text) >= 3 && isDigit(text[0]) && isDigit(text[1]) && isDigit(text[2]) && (len(text) == 3 || !isDigit(text[3]))
}

// holds reports whether the sign at i holds together what is on both sides of it.
func (s *scanner) holds(i int) bool {
	before, after := s.text[i-1], s.text[i+1]
	if !isDigit(after) && !isLetter(after) && after < utf8.RuneSelf {
		return false
	}
	switch s.text[i] {
	case ',', ':':
		return isDigit(before) && isDigit(after)
	case '/':
		return isDigit(before) && isDigit(after)
	case '.':
		return isDigit(before) == isDigit(after) || isLetter(before)
	}
	return true
}

// word makes tokens of a word.
func (s *scanner) word(begin, end int) {
	word := s.text[begin:end]
	switch {
	case isDigit(word[0]):
		s.numeral(begin, end)
	case len(word) > 1 && (word[0]|0x20) == 'v' && isDigit(word[1]) && isVersion(word[1:], 1):
		s.put(token{kind: tokenVersion, norm: strings.ToLower(word[1:]), begin: begin, end: end})
	case s.currencyNumber(begin, end):
	default:
		s.plain(begin, end)
	}
}

func (s *scanner) put(t token) { s.out = append(s.out, t) }

// plain is a word of letters, maybe with digits.
func (s *scanner) plain(begin, end int) {
	word := s.text[begin:end]
	t := token{kind: tokenWord, norm: word, lower: strings.ToLower(word), begin: begin, end: end}
	if strings.ContainsAny(word, "0123456789") && isDrawn(word) {
		t.kind = tokenID
	}
	s.put(t)
}

// currencyNumber reads "EUR129" and "USD1,299.00".
func (s *scanner) currencyNumber(begin, end int) bool {
	word := s.text[begin:end]
	if len(word) < 4 || !isDigit(word[3]) || currencies[word[:3]] == "" {
		return false
	}
	s.put(token{kind: tokenWord, norm: word[:3], lower: strings.ToLower(word[:3]), begin: begin, end: begin + 3})
	s.numeral(begin+3, end)
	return true
}

// numeral reads what begins with a digit.
func (s *scanner) numeral(begin, end int) {
	word := s.text[begin:end]
	n := 0
	for n < len(word) && (isDigit(word[n]) || strings.IndexByte(".,:-/'", word[n]) >= 0 || strings.HasPrefix(word[n:], "\u00a0") ||
		n > 0 && strings.HasPrefix(word[n-1:], "\u00a0")) {
		n++
	}
	for n > 0 && !isDigit(word[n-1]) {
		n--
	}
	digits, rest := word[:n], word[n:]
	if rest != "" && s.mixed(begin, end, digits, rest) {
		return
	}
	at := token{begin: begin, end: begin + n}
	switch {
	case s.dated(digits, &at):
	case clockTime(digits) != "":
		at.kind, at.norm = tokenTime, clockTime(digits)
	case isVersion(digits, 2):
		at.kind, at.norm = tokenVersion, digits
	case strings.ContainsAny(digits, "-/:"):
		s.pieces(begin, digits)
		at.end = 0
	default:
		s.number(digits, &at)
	}
	if at.end > 0 {
		s.put(at)
	}
	if rest != "" {
		s.plain(begin+n, end)
	}
}

// mixed reads digits with letters after them that belong together.
func (s *scanner) mixed(begin, end int, digits, rest string) bool {
	word := s.text[begin:end]
	switch lower := strings.ToLower(rest); {
	case isDrawn(word):
		s.put(token{kind: tokenID, norm: word, lower: strings.ToLower(word), begin: begin, end: end})
		return true
	case rest[0] == 'T' && len(digits) == 10:
		if t, ok := isoTime(word); ok {
			s.put(token{kind: tokenDate, norm: t, begin: begin, end: end})
			return true
		}
	case lower == "am" || lower == "pm":
		if t := twelveHours(digits, lower); t != "" {
			s.put(token{kind: tokenTime, norm: t, begin: begin, end: end})
			return true
		}
	case lower == "st" || lower == "nd" || lower == "rd" || lower == "th":
		if digits = strings.ReplaceAll(digits, ",", ""); isCount(digits) {
			s.put(token{kind: tokenNumber, norm: digits, unit: "th", begin: begin, end: end})
			return true
		}
	case strings.ContainsAny(rest, "0123456789-_") && !isUnit(lower) || isVersion(digits, 1) && (strings.HasPrefix(lower, "-") ||
		strings.HasPrefix(lower, "rc") || strings.HasPrefix(lower, "beta")):
		kind := tokenWord
		if strings.Contains(digits, ".") && isVersion(digits, 1) {
			kind = tokenVersion
		}
		s.put(token{kind: kind, norm: word, lower: strings.ToLower(word), begin: begin, end: end})
		return true
	case (lower == "k" || lower == "m" || lower == "b") && !strings.ContainsAny(digits, "-/:"):
		at := token{begin: begin, end: end}
		s.number(digits, &at)
		at.norm += lower
		s.put(at)
		return true
	}
	return false
}

func isUnit(lower string) bool { return lower == "m2" || lower == "m3" || lower == "co2" }

func isCount(digits string) bool {
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return false
		}
	}
	return digits != ""
}

// pieces are what a stroke or a dash parts: a range, a ratio, a telephone number.
func (s *scanner) pieces(begin int, digits string) {
	start := 0
	for i := 0; i <= len(digits); i++ {
		if i < len(digits) && strings.IndexByte("-/:", digits[i]) < 0 {
			continue
		}
		if i > start {
			at := token{begin: begin + start, end: begin + i}
			s.number(digits[start:i], &at)
			s.put(at)
		}
		if i < len(digits) {
			s.put(token{kind: tokenSign, norm: digits[i : i+1], begin: begin + i, end: begin + i + 1})
		}
		start = i + 1
	}
}

// number reads a number in the form of the language.
func (s *scanner) number(digits string, at *token) {
	at.kind, at.norm = tokenNumber, decimal(digits, s.comma)
	if at.norm == "" {
		at.norm = digits
	}
}

// unmarked takes out marks of thousands that are nothing else.
var unmarked = strings.NewReplacer("'", "", "\u00a0", "")

// decimal is a number in canonical form: digits, at most one point, no zeros that mean nothing. "" is for what could be no
// number.
func decimal(digits string, comma bool) string {
	if strings.ContainsAny(digits, "'\u00a0") {
		digits = unmarked.Replace(digits)
	}
	points, commas := strings.Count(digits, "."), strings.Count(digits, ",")
	mark := byte(0)
	switch {
	case points > 0 && commas > 0:
		mark = '.'
		if strings.LastIndexByte(digits, ',') > strings.LastIndexByte(digits, '.') {
			mark = ','
		}
		if strings.Count(digits, string(mark)) > 1 {
			return ""
		}
	case points+commas == 1:
		mark = '.'
		if commas == 1 {
			mark = ','
		}
		i := strings.IndexByte(digits, mark)
		if thousands := len(digits)-i == 4 && i <= 3 && digits[0] != '0'; thousands && (mark == ',') != comma {
			mark = 0
		}
	}
	whole, fraction := digits, ""
	if mark != 0 {
		i := strings.LastIndexByte(digits, mark)
		whole, fraction = digits[:i], strings.TrimRight(digits[i+1:], "0")
	}
	if strings.ContainsAny(whole, ".,") {
		groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
		for _, group := range groups[1:] {
			if len(group) != 3 && len(group) != 2 {
				return ""
			}
		}
		whole = strings.Join(groups, "")
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// isVersion reports whether digits are parted by points as those of a version are, by at least pointsMin.
func isVersion(digits string, pointsMin int) bool {
	points, run := 0, 0
	for i := range len(digits) {
		switch {
		case isDigit(digits[i]):
			run++
		case digits[i] == '.' && run > 0 && run <= 5:
			points, run = points+1, 0
		default:
			return i > 0 && points >= pointsMin && pointsMin < 2
		}
	}
	if points < pointsMin || run == 0 {
		return false
	}
	return points < 2 || !allThree(digits)
}

// allThree reports whether points part the thousands of a number.
func allThree(digits string) bool {
	for i, group := range strings.Split(digits, ".") {
		if i > 0 && len(group) != 3 {
			return false
		}
	}
	return true
}
