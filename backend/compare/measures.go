package compare

import (
	"slices"
	"unicode/utf8"
)

// counters marks numbers of views, visitors, likes and the like.
func (p *passing) counters() {
	for i := range p.in {
		lower := p.lower(i)
		isNoun := counterNouns[lower] || presentWords[lower] && (crowdWords[p.lower(i-1)] || p.kind(i-1) == tokenNumber && len(p.in) <= 6)
		if isNoun && !p.lens.watched[lower] {
			for j := i - 1; j >= max(0, i-3); j-- {
				if p.in[j].kind == tokenNumber {
					p.mark(j, j+1)
					break
				} else if p.in[j].kind == tokenSign {
					break
				}
			}
			p.numberAfter(i + 1)
		}
		if p.kind(i+1) == tokenNumber &&
			(likeSigns[p.in[i].norm] || starSigns[p.in[i].norm] && len(p.in[i+1].norm) > 1 && isCount(p.in[i+1].norm)) && p.in[i].kind == tokenSign {
			p.mark(i+1, i+2)
		} else if p.in[i].norm == "★" && p.kind(i+1) == tokenNumber && isCount(p.in[i+1].norm) && slices.Contains(p.marked, true) {
			p.mark(i+1, i+2) // stars beside what is counted are counted as well
		}
		if raisedWords[lower] && p.kind(i-1) == tokenMoney && !p.lens.watched[lower] {
			p.mark(i-1, i)
		}
		if p.in[i].kind == tokenSign && isPictograph(p.in[i].norm) && p.kind(i+1) == tokenNumber && isCount(p.in[i+1].norm) {
			p.mark(i+1, i+2)
		}
		if counterVerbs[lower] && p.kind(i+1) == tokenNumber && (p.lower(i+2) == "times" || p.lower(i+2) == "x") {
			p.mark(i+1, i+2)
		}
	}
}

// crowds marks the numbers of a short text that says what others did: "37 of 180 readers found this helpful".
func (p *passing) crowds() {
	if len(p.in) > 18 {
		return
	}
	crowd, verb := false, false
	for i := range p.in {
		lower := p.lower(i)
		if p.lens.watched[lower] {
			return
		}
		crowd = crowd || crowdWords[lower] && p.kind(i-1) != tokenSign
		verb = verb || crowdVerbs[lower]
		if lower == "helpful" || p.in[i].kind == tokenNumber && i == 0 && (crowdWords[p.lower(1)] || crowdWords[p.lower(2)]) {
			crowd, verb = true, true
		}
	}
	if crowd && verb {
		p.markKinds(tokenNumber, tokenPercent)
	}
}

// measures marks what instruments and markets say: the weather now, a quotation that rose, a rate of exchange.
func (p *passing) measures() {
	p.rates()
	if len(p.in) > 28 {
		return
	}
	weather, unit, arrow, degrees, waits, sky, market := false, false, false, false, false, false, false
	for i := range p.in {
		lower := p.lower(i)
		if p.lens.watched[lower] {
			return
		}
		weather = weather || weatherWords[lower]
		unit = unit || weatherUnits[lower]
		degrees = degrees || p.in[i].kind == tokenNumber && (p.lower(i+1) == "°" || p.lower(i+1) == "°c" || p.lower(i+1) == "°f")
		arrow = arrow || lower == "▲" || lower == "▼" || lower == "⬆" || lower == "⬇"
		sky, market = sky || skyWords[lower], market || marketWords[lower] || isPair(p, i)
		waits = waits || waitWords[lower]
		if waits && p.in[i].kind == tokenNumber && timeUnits[p.lower(i+1)] && len(p.in) <= 14 {
			p.mark(i, i+1)
		}
	}
	if weather && degrees {
		p.weather()
	}
	if sky {
		p.markKinds(tokenNumber, tokenTime, tokenPercent)
	}
	if market {
		p.markKinds(tokenNumber, tokenPercent, tokenMoney)
	}
	if len(p.in) > 14 {
		return
	}
	if weather && unit || arrow {
		p.markKinds(tokenNumber, tokenPercent)
	}
	if arrow {
		p.markKinds(tokenMoney, tokenSign)
	}
}

// isPair reports whether a token begins a pair of currencies: "EUR/USD".
func isPair(p *passing, i int) bool {
	return currencies[p.in[i].norm] != "" && p.lower(i+1) == "/" && i+2 < len(p.in) && currencies[p.in[i+2].norm] != ""
}

// weather marks what is said between signs with a word of the weather or degrees in it: "Sunny spells, 7 °C".
func (p *passing) weather() {
	for i := 0; i < len(p.in); i++ {
		end, says := i, false
		for ; end < len(p.in) && !isBreak(p.in[end].norm); end++ {
			says = says || weatherWords[p.lower(end)] || p.in[end].norm == "°"
		}
		if says && end-i <= 6 {
			p.mark(i, end)
		}
		i = end
	}
}

func isBreak(sign string) bool {
	return sign == "," || sign == "." || sign == "|" || sign == ":" || sign == "·" || sign == ";"
}

// rates marks amounts in a short text that says what one of a currency is in another.
func (p *passing) rates() {
	if len(p.in) > 16 {
		return
	}
	one, units := false, map[string]bool{}
	for i := range p.in {
		if t := &p.in[i]; t.kind == tokenMoney {
			one = one || t.norm == "1"
			units[t.unit] = true
		}
	}
	if one && len(units) > 1 && !p.lens.watched["rate"] {
		p.markKinds(tokenMoney)
	}
}

// isPictograph reports whether a sign is a picture, as of those by which people say what they think.
func isPictograph(sign string) bool {
	r, _ := utf8.DecodeRuneInString(sign)
	return 0x1f300 <= r && r <= 0x1faff
}

func (p *passing) numberAfter(i int) {
	for j := i; j < min(i+4, len(p.in)); j++ {
		switch lower := p.lower(j); {
		case p.in[j].kind == tokenNumber:
			p.mark(j, j+1)
			return
		case lower == ":" || lower == "#" || lower == "(" || lower == "number" || lower == "no" || lower == "count" || lower == "today" ||
			lower == "total" || lower == "nr" || lower == "." || lower == "so" || lower == "far" || lower == "since" || lower == "all" || lower == "time":
		default:
			return
		}
	}
}
