package compare

import (
	"strconv"
	"strings"
)

// currencies are signs and codes of currencies, by ISO 4217.
var currencies = map[string]string{
	"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₪": "ILS", "zł": "PLN", "Kč": "CZK",
	"EUR": "EUR", "USD": "USD", "GBP": "GBP", "CHF": "CHF", "JPY": "JPY", "CAD": "CAD", "AUD": "AUD", "NZD": "NZD", "SEK": "SEK", "NOK": "NOK", "DKK": "DKK",
	"PLN": "PLN", "CZK": "CZK", "HUF": "HUF", "INR": "INR", "CNY": "CNY", "BRL": "BRL", "MXN": "MXN", "ZAR": "ZAR", "SGD": "SGD", "HKD": "HKD", "KRW": "KRW", "TRY": "TRY",
	"USDC": "USDC", "BTC": "BTC", "ETH": "ETH", "kr": "kr", "Euro": "EUR", "euro": "EUR", "euros": "EUR", "dollars": "USD",
}

// join puts together what is said in several words: amounts, percentages, dates, times.
func (s *scanner) join() {
	in := s.out
	out := in[:0]
	for i := 0; i < len(in); {
		t, used := s.joined(in, i)
		if used == 0 {
			t, used = in[i], 1
		}
		out = append(out, t)
		i += used
	}
	s.out = out
	s.ranges()
}

// ranges makes dates of days whose month is said at the end: "5 - 7 March", "Thu 5 to Sat 7 Mar".
func (s *scanner) ranges() {
	for i := range s.out {
		first := &s.out[i]
		if first.kind != tokenNumber || first.unit != "" || len(first.norm) > 2 || !isCount(first.norm) || i+2 >= len(s.out) {
			continue
		}
		j := i + 1
		for j < len(s.out) && j <= i+2 && s.out[j].norm == "." {
			j++
		}
		if mark := s.out[j]; mark.norm != "-" && mark.norm != "/" && mark.lower != "to" && mark.lower != "bis" && mark.lower != "and" && mark.lower != "und" {
			continue
		}
		j++
		for j < len(s.out) && j <= i+5 && (weekdays[s.out[j].lower] || s.out[j].norm == "," || s.out[j].norm == ".") {
			j++
		}
		if j >= len(s.out) || s.out[j].kind != tokenDate {
			continue
		}
		last := s.out[j].norm
		dayOfMonth, err := strconv.Atoi(first.norm)
		if at := strings.LastIndexByte(last, '-'); err == nil && at > 0 && dayOfMonth >= 1 && dayOfMonth <= 31 && (len(last) == len("-03-07") || len(last) == len("2026-03-07")) {
			if until, err := strconv.Atoi(last[at+1:]); err == nil && dayOfMonth < until {
				first.kind, first.norm = tokenDate, last[:at+1]+twoDigits(dayOfMonth)
			}
		}
	}
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// joined reads what begins at a token; used is 0 where it is only itself.
func (s *scanner) joined(in []token, i int) (t token, used int) {
	t = in[i]
	switch t.kind { //nolint:exhaustive // the others are never more than themselves
	case tokenNumber:
		if i+1 < len(in) && in[i+1].norm == "%" {
			t.kind, t.end = tokenPercent, in[i+1].end
			return t, 2
		}
		if i+1 < len(in) && currencies[in[i+1].norm] != "" && !(in[i+1].kind == tokenSign && isPrice(in, i+2)) {
			return s.money(t, in[i+1].norm, t.begin, in[i+1].end), 2
		}
		if d, n := monthDay(in, i); n > 0 {
			return d, n
		}
		if i+1 < len(in) && isHalf(in[i+1].lower) && t.unit == "" && len(t.norm) <= 2 {
			if clock := twelveHours(t.norm, strings.Trim(in[i+1].lower, ".")); clock != "" {
				return token{kind: tokenTime, norm: clock, begin: t.begin, end: in[i+1].end}, 2
			}
		}
	case tokenTime:
		if i+1 < len(in) && isHalf(in[i+1].lower) {
			if clock := twelveHours(t.norm, strings.Trim(in[i+1].lower, ".")); clock != "" {
				t.norm, t.end = clock, in[i+1].end
				return t, 2
			}
		}
	case tokenSign, tokenWord:
		if t.norm == "-" && i+1 < len(in) && in[i+1].kind == tokenNumber && in[i+1].begin == t.end && (i == 0 || in[i-1].end < t.begin) {
			in[i+1].norm, in[i+1].begin = "-"+in[i+1].norm, t.begin
			next, used := s.joined(in, i+1)
			return next, max(used, 1) + 1
		}
		if i+1 < len(in) && in[i+1].kind == tokenNumber && currencies[t.norm] != "" {
			return s.money(in[i+1], t.norm, t.begin, in[i+1].end), 2
		}
		if t.kind == tokenWord && months[t.lower] > 0 {
			if d, n := monthFirst(in, i); n > 0 {
				return d, n
			}
		}
	}
	return t, 0
}

func isHalf(lower string) bool {
	return lower == "am" || lower == "pm" || lower == "a.m" || lower == "p.m"
}

func isPrice(in []token, i int) bool { return i < len(in) && in[i].kind == tokenNumber }

// money makes an amount. What has three digits after one mark is thousands: no amount has three decimals.
func (s *scanner) money(number token, currency string, begin, end int) token {
	digits := s.text[number.begin:number.end]
	if i := strings.LastIndexAny(digits, ".,"); i > 0 && len(digits)-i == 4 && strings.Count(digits, digits[i:i+1]) == 1 && digits[0] != '0' && isCount(digits[i+1:]) {
		if whole := strings.Map(onlyDigits, digits); whole != "" {
			number.norm = whole
		}
	}
	return token{kind: tokenMoney, norm: number.norm, unit: currencies[currency], begin: begin, end: end}
}

func onlyDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return r
	}
	return -1
}

// monthDay reads "12 May 2026", "12. Mai 2026", "12 de mayo de 2026" and "12 May".
func monthDay(in []token, i int) (t token, used int) {
	dayOfMonth, err := strconv.Atoi(in[i].norm)
	if err != nil || dayOfMonth < 1 || dayOfMonth > 31 {
		return token{}, 0
	}
	j := i + 1
	for j < len(in) && j <= i+2 && (in[j].norm == "." || in[j].lower == "of" || in[j].lower == "de") {
		j++
	}
	if j >= len(in) || in[j].kind != tokenWord || months[in[j].lower] == 0 {
		return token{}, 0
	}
	month := months[in[j].lower]
	year, end := yearAfter(in, j+1)
	if year > 0 {
		return token{kind: tokenDate, norm: day(year, month, dayOfMonth), begin: in[i].begin, end: in[end-1].end}, end - i
	}
	return token{kind: tokenDate, norm: partDay(month, dayOfMonth), begin: in[i].begin, end: in[j].end}, j + 1 - i
}

// partDay is a day of no year, as ISO 8601 wrote it once.
func partDay(month, dayOfMonth int) string { return day(2000, month, dayOfMonth)[len("2000"):] }

// yearAfter reads a year and returns where it ends; 0 is for none.
func yearAfter(in []token, j int) (year, end int) {
	for k := j; k < len(in) && k <= j+1; k++ {
		if in[k].kind == tokenNumber && len(in[k].norm) == 4 && in[k].unit == "" {
			if n, err := strconv.Atoi(in[k].norm); err == nil && n >= 1000 && n <= 2999 {
				return n, k + 1
			}
		}
		if in[k].norm != "," && in[k].norm != "." && in[k].lower != "de" && in[k].lower != "del" {
			break
		}
	}
	return 0, 0
}

// monthFirst reads "May 12, 2026", "May 12" and "May 2026".
func monthFirst(in []token, i int) (t token, used int) {
	j := i + 1
	if j < len(in) && in[j].norm == "." {
		j++
	}
	if j >= len(in) || in[j].kind != tokenNumber {
		return token{}, 0
	}
	n, err := strconv.Atoi(in[j].norm)
	month := months[in[i].lower]
	switch {
	case err != nil:
		return token{}, 0
	case len(in[j].norm) == 4 && n >= 1000 && n <= 2999:
		return token{kind: tokenDate, norm: day(n, month, 1)[:len("2006-01")], begin: in[i].begin, end: in[j].end}, j + 1 - i
	case n < 1 || n > 31:
		return token{}, 0
	}
	if year, end := yearAfter(in, j+1); year > 0 {
		return token{kind: tokenDate, norm: day(year, month, n), begin: in[i].begin, end: in[end-1].end}, end - i
	}
	return token{kind: tokenDate, norm: partDay(month, n), begin: in[i].begin, end: in[j].end}, j + 1 - i
}
