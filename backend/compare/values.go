package compare

import (
	"math/big"
	"strconv"
)

const valuesMax = 8

// valuesOf are the values that a difference replaces by others of their kind.
func valuesOf(h hunk, before, after []token) []ValueChange {
	var out []ValueChange
	from, to := valued(before[h.a0:h.a1]), valued(after[h.b0:h.b1])
	if len(from) != len(to) {
		return nil
	}
	for i := range from {
		a, b := from[i], to[i]
		if a.kind != b.kind || a.norm == b.norm && a.unit == b.unit || len(out) == valuesMax {
			continue
		}
		v := ValueChange{Type: tokenTypes[a.kind], Unit: b.unit, Old: a.norm, New: b.norm}
		switch {
		case a.unit != b.unit:
			v.Old = a.norm + " " + a.unit
			v.New = b.norm + " " + b.unit
			v.Unit = ""
		case a.kind == tokenDate:
			if days, ok := daysBetween(a.norm, b.norm); ok {
				v.Delta = strconv.Itoa(days)
			}
		default:
			v.Delta, v.Percent = delta(a.norm, b.norm)
		}
		out = append(out, v)
	}
	return out
}

func valued(tokens []token) []*token {
	var out []*token
	for i := range tokens {
		if tokenTypes[tokens[i].kind] != "" {
			out = append(out, &tokens[i])
		}
	}
	return out
}

// delta is the difference of two decimals, exactly, and in percent of the first.
func delta(before, after string) (difference string, percent *float64) {
	if len(before) > 40 || len(after) > 40 || !isDecimal(before) || !isDecimal(after) {
		return "", nil
	}
	from, ok1 := new(big.Rat).SetString(before)
	to, ok2 := new(big.Rat).SetString(after)
	if !ok1 || !ok2 {
		return "", nil
	}
	d := new(big.Rat).Sub(to, from)
	if from.Sign() != 0 {
		share, _ := new(big.Rat).Quo(new(big.Rat).Mul(d, big.NewRat(100, 1)), new(big.Rat).Abs(from)).Float64()
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(share, 'f', 1, 64), 64) // what was just written
		percent = &rounded
	}
	return decimalOf(d), percent
}

func isDecimal(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isDigit(c) && c != '.' && !(c == '-' && i == 0) {
			return false
		}
	}
	return text != ""
}

// decimalOf writes a number with as many decimals as it has, at most twelve.
func decimalOf(r *big.Rat) string {
	for digits := range 12 {
		if text := r.FloatString(digits); isEqual(text, r) {
			return text
		}
	}
	return r.FloatString(12)
}

func isEqual(text string, r *big.Rat) bool {
	other, ok := new(big.Rat).SetString(text)
	return ok && other.Cmp(r) == 0
}

// isFactual reports whether a difference is of what is seldom noise: an amount, a date, a version, a state.
func (h hunk) isFactual(before, after []token) bool {
	if h.hasState(before, after) {
		return true
	}
	for _, tokens := range [][]token{before[h.a0:h.a1], after[h.b0:h.b1]} {
		for i := range tokens {
			if k := tokens[i].kind; k == tokenMoney || k == tokenDate || k == tokenVersion {
				return true
			}
		}
	}
	return false
}

// hasState reports whether a difference is of what state something is in.
func (h hunk) hasState(before, after []token) bool {
	for _, tokens := range [][]token{before[h.a0:h.a1], after[h.b0:h.b1]} {
		for i := range tokens {
			if isState(tokens[i].lower) {
				return true
			}
		}
	}
	return false
}

// isCounted reports whether a difference is of numbers alone, and not of amounts, dates or versions.
func (h hunk) isCounted(before, after []token) bool {
	for _, tokens := range [][]token{before[h.a0:h.a1], after[h.b0:h.b1]} {
		numbers := 0
		for i := range tokens {
			switch tokens[i].kind {
			case tokenNumber, tokenPercent, tokenTime, tokenID:
				numbers++
			case tokenSign, tokenPassing:
			default:
				return false
			}
		}
		if numbers == 0 {
			return false
		}
	}
	return true
}

// meaningsOf are what tokens mean from begin to end, but for what passes and for punctuation.
func meaningsOf(tokens []token, begin, end int) []meaning {
	var out []meaning
	for i := begin; i < end; i++ {
		if tokens[i].isFirm() {
			out = append(out, meaningAt(tokens, i))
		}
	}
	return out
}

// meaningAt is what a token means among others.
func meaningAt(tokens []token, i int) meaning {
	t := &tokens[i]
	m := meaning{hash: t.hash(), valued: tokenTypes[t.kind] != "" || t.kind == tokenID}
	if t.kind == tokenNumber && t.unit == "" && i > 0 && tokens[i-1].kind == tokenWord {
		m.named = mix(tokens[i-1].hash(), m.hash)
	}
	return m
}

// isFirm reports whether a token says something that does not pass.
func (t *token) isFirm() bool {
	return t.kind != tokenPassing && (t.kind != tokenSign || !isIdle(t.norm))
}
