package reader

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// shape is how a span was recognised in its block.
type shape uint8

const (
	money shape = iota
	date
	phone
	email
	link
	number
	measure // a number with a unit
	code    // digits with letters or marks
	times   // days and hours
	proper  // words in capitals
	whole   // all of the block
	after   // what follows a colon
	inside  // an element of the block
	part    // what stands between marks
	run     // several blocks
	several // a list
	truth   // a boolean
	shapes
)

// span is a part of a block that may be a value.
type span struct {
	shape      shape
	start, end int
	value      string // as it is given, if not the text itself
	unit       string // in lower case; of money the currency
}

const currencies = `US\$|A\$|AU\$|C\$|CA\$|NZ\$|HK\$|S\$|R\$|[$€£¥₹₩₽₺฿₫₱₪]|` +
	`\b(?:USD|EUR|GBP|CAD|AUD|NZD|CHF|JPY|INR|CNY|SEK|NOK|DKK|PLN|CZK|HUF|ZAR|KSH|KES|BRL|MXN|SGD|HKD|Rs|RM|Rp|kr|zł|Kč)\b\.?`

var (
	amount    = `\d{1,3}(?:[ ,.'\x{00a0}]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,3})?`
	moneyText = regexp.MustCompile(`(?:(` + currencies + `)\s?((?:` + amount + `)))|(?:\b((?:` + amount + `))\s?(` + currencies + `))`)
	emailText = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)
	phoneText = regexp.MustCompile(`(?:\+|\(|\b)\d[\d\s().\x{00a0}/‑–-]{5,18}\d\b|\b1?-?8\d\d-[A-Z0-9]{3,4}-?[A-Z0-9]{3,4}\b`)
	linkText  = regexp.MustCompile(`\b(?:https?|git|ftp)://[^\s"'<>)\]]+[^\s"'<>)\].,;:!?]|` +
		`\b(?:www\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|dev|co|edu|gov|app|ai|de|uk|fr)\b(?:/[^\s"'<>)\],;]*[^\s"'<>)\],;.])?`)
	codeText = regexp.MustCompile(`[A-Za-z0-9#][A-Za-z0-9._/+#:-]*[A-Za-z0-9+]`)
	timeText = regexp.MustCompile(`(?i)\b(?:\d{1,2}(?::\d{2})?\s?(?:[ap]\.?m\b\.?)|\d{1,2}:\d{2}|24/7|24 hours|noon|midnight|` +
		`mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays|weekends|daily|m-f)\b\.?`)
	dateForms = `\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{2}:\d{2}[0-9:.]*(?:Z|[+-]\d{2}:?\d{2})?)?|` +
		`\d{1,2}(?:st|nd|rd|th|er|\.)?(?: of| de)? \pL{3,10}\.?,?(?: de)? \d{4}|` +
		`\pL{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\pL{3,10}\.?,?(?: of| de)? \d{4}|\d{4}-\d{2}|\b(?:1[89]|20)\d{2}`
	dateText = regexp.MustCompile(`(?:^|[^\d\pL.,$€£/-])(` + dateForms + `)(?:$|[^\d\pL]|T)`)
)

// spansOf finds the spans of all wanted shapes in a block.
func (p *page) spansOf(b *block, wanted [shapes]bool) []span {
	var out []span
	hasDigit := strings.ContainsAny(b.text, "0123456789")
	if wanted[money] && hasDigit {
		out = append(out, p.moneyIn(b.text)...)
	}
	if wanted[date] && hasDigit {
		out = append(out, p.datesIn(b.text)...)
	}
	if wanted[phone] && hasDigit {
		for _, at := range phoneText.FindAllStringIndex(b.text, 200) {
			if digits := countDigits(b.text[at[0]:at[1]]); digits >= 7 && digits <= 15 || strings.ContainsAny(b.text[at[0]:at[1]], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
				out = append(out, span{shape: phone, start: at[0], end: at[1]})
			}
		}
	}
	if wanted[email] && strings.Contains(b.text, "@") {
		for _, at := range emailText.FindAllStringIndex(b.text, 200) {
			out = append(out, span{shape: email, start: at[0], end: at[1]})
		}
	}
	if wanted[link] {
		for _, at := range linkText.FindAllStringIndex(b.text, 200) {
			out = append(out, span{shape: link, start: at[0], end: at[1]})
		}
	}
	if wanted[number] && (hasDigit || b.origin == inText) {
		out = append(out, p.numbersIn(b.text)...)
	}
	if wanted[times] {
		out = append(out, timesIn(b.text)...)
	}
	if wanted[code] && hasDigit {
		for _, at := range codeText.FindAllStringIndex(b.text, 200) {
			if strings.ContainsAny(b.text[at[0]:at[1]], "0123456789") && at[1]-at[0] <= 60 {
				out = append(out, span{shape: code, start: at[0], end: at[1]})
			}
		}
	}
	if wanted[whole] {
		out = append(out, p.phrasesIn(b)...)
	}
	return out
}

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

func (p *page) moneyIn(text string) []span {
	var out []span
	for _, m := range moneyText.FindAllStringSubmatchIndex(text, 400) {
		s := span{shape: money, start: m[0], end: m[1]}
		if m[2] >= 0 {
			s.unit, s.value = text[m[2]:m[3]], text[m[4]:m[5]]
		} else {
			s.unit, s.value = text[m[8]:m[9]], text[m[6]:m[7]]
		}
		out = append(out, s)
	}
	return out
}

// numbersIn are the numbers of a text, with their units.
func (p *page) numbersIn(text string) []span {
	plain, places := plainOf(text)
	var out []span
	for _, n := range ask.NumbersIn(plain, p.language) {
		s := span{shape: number, start: n.Start, end: n.End, unit: n.Unit}
		if places != nil {
			s.start, s.end = places[n.Start], places[n.End]
		}
		if n.Value.IsInt() {
			s.value = n.Value.Num().String()
		} else {
			s.value = strings.TrimRight(n.Value.FloatString(8), "0")
		}
		if _, ok := ask.UnitNames()[n.Unit]; ok {
			s.shape = measure
		}
		out = append(out, s)
	}
	return out
}

// plainOf is a text in the form of ask.Plain, and for each of its bytes, and its end, the place in text; nil if they are the same.
func plainOf(text string) (string, []int) {
	if isASCII(text) {
		return text, nil
	}
	var out strings.Builder
	var places []int
	for i, r := range text {
		piece := ask.Plain(string(r))
		out.WriteString(piece)
		for range len(piece) {
			places = append(places, i)
		}
	}
	return out.String(), append(places, len(text))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var monthNames = func() map[string]int {
	out := map[string]int{}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		out[name], out[name[:3]] = int(m), int(m)
	}
	out["sept"] = 9
	for i, name := range strings.Fields("januar februar märz april mai juni juli august september oktober november dezember") {
		out[name] = i + 1
	}
	for i, name := range strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre") {
		out[name] = i + 1
	}
	for i, name := range strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre") {
		out[name] = i + 1
	}
	return out
}()

// datesIn are the dates of a text: days, months of a year, and years.
func (p *page) datesIn(text string) []span {
	var out []span
	for from := 0; from < len(text) && len(out) < 400; {
		m := dateText.FindStringSubmatchIndex(text[from:])
		if m == nil {
			break
		}
		start, end := from+m[2], from+m[3]
		if value := p.dateOf(text[start:end]); value != "" {
			out = append(out, span{shape: date, start: start, end: end, value: value})
			from = end
			continue
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
		if at := strings.IndexAny(text[from:], " \n"); at >= 0 {
			from += at
		} else {
			break
		}
	}
	return out
}

// dateOf is a date in the form of ISO 8601, as exact as the text; "" if it is none.
func (p *page) dateOf(text string) string {
	if found := ask.DatesIn(text, p.language); len(found) > 0 {
		return found[0]
	}
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	year, month := "", 0
	for _, f := range fields {
		if len(f) == 4 && countDigits(f) == 4 {
			year = f
		} else if monthNames[f] > 0 {
			month = monthNames[f]
		}
	}
	switch {
	case year == "" || len(fields) > 3:
		return ""
	case len(fields) == 1:
		return year
	case month > 0:
		return fmt.Sprintf("%s-%02d", year, month)
	case len(fields) == 2 && len(text) == 7:
		if n, err := strconv.Atoi(fields[1]); err == nil && n >= 1 && n <= 12 {
			return text
		}
	}
	return ""
}

// timeGap is how many bytes may lie between two times or days of one span.
const timeGap = 14

func timesIn(text string) []span {
	var out []span
	found := timeText.FindAllStringIndex(text, 100)
	for i := 0; i < len(found); {
		k := i
		for k+1 < len(found) && found[k+1][0]-found[k][1] <= timeGap {
			k++
		}
		out = append(out, span{shape: times, start: found[i][0], end: found[k][1]})
		i = k + 1
	}
	return out
}

const (
	phraseWords = 24
	phraseBytes = 240
)

// joins are the marks between the parts of a block.
var joins = regexp.MustCompile(`\s[|•·—–-]\s|[|•·;]\s?|, |\. |\(|\)|: | by | in | and `)

// phrasesIn are the parts of a block that may be texts: all of it, what follows a colon, its elements, names, and what is between marks.
func (p *page) phrasesIn(b *block) []span {
	var out []span
	add := func(s shape, start, end int) {
		for start < end && strings.IndexByte(" ,;:|-\"(", b.text[start]) >= 0 {
			start++
		}
		for start < end && strings.IndexByte(" ,;:|-\"", b.text[end-1]) >= 0 {
			end--
		}
		if end-start < 1 || end-start > phraseBytes || !hasWord(b.text[start:end]) {
			return
		}
		for _, o := range out {
			if o.start == start && o.end == end {
				return
			}
		}
		out = append(out, span{shape: s, start: start, end: end})
	}
	if len(b.tokens) <= phraseWords {
		add(whole, 0, len(strings.TrimRight(b.text, ". ")))
	}
	for from := 0; ; {
		at := strings.Index(b.text[from:], ":")
		if at < 0 || len(out) > 20 {
			break
		}
		from += at + 1
		rest := b.text[from:]
		end := len(rest)
		if stop := strings.Index(rest, ". "); stop >= 0 {
			end = stop
		}
		add(after, from, from+end)
		if stop := strings.IndexAny(rest[:end], ";|,("); stop >= 0 {
			add(after, from, from+stop)
		}
	}
	for _, at := range b.inline {
		if int(at[1]) <= len(b.text) && at[0] < at[1] {
			add(inside, int(at[0]), int(at[1]))
		}
	}
	begin := 0
	for _, at := range joins.FindAllStringIndex(b.text, 60) {
		add(part, begin, at[0])
		begin = at[1]
	}
	if begin > 0 {
		add(part, begin, len(strings.TrimRight(b.text, ". ")))
	}
	p.namesIn(b, add)
	return out
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// namesIn are the runs of words in capitals, also with small words between them.
func (p *page) namesIn(b *block, add func(s shape, start, end int)) {
	capital := func(t token) bool {
		r, _ := utf8.DecodeRuneInString(b.text[t.start:t.end])
		return unicode.IsUpper(r) || unicode.IsDigit(r)
	}
	const most, found = 7, 60
	n := 0
	for i := 0; i < len(b.tokens) && n < found; i++ {
		if !capital(b.tokens[i]) {
			continue
		}
		k, bridged := i, false
		for k+1 < len(b.tokens) && k-i < most {
			gap := b.text[b.tokens[k].end:b.tokens[k+1].start]
			if strings.ContainsAny(gap, ",;:|()\"“”!?•") || len(gap) > 4 || gap == ". " && b.tokens[k].end-b.tokens[k].start > 2 {
				break
			}
			if capital(b.tokens[k+1]) {
				k++
				continue
			}
			// "of", "de la": a small word is part of a name if a capital follows.
			if k+2 < len(b.tokens) && b.tokens[k+1].end-b.tokens[k+1].start <= 3 && capital(b.tokens[k+2]) {
				if !bridged {
					add(proper, int(b.tokens[i].start), int(b.tokens[k].end))
				}
				bridged = true
				k += 2
				continue
			}
			break
		}
		add(proper, int(b.tokens[i].start), int(b.tokens[k].end))
		n++
		i = k
	}
}
