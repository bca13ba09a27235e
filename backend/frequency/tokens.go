package frequency

import "strings"

// tokens splits a sentence into words, numbers and signs. Digits end where letters begin: "9am" are two.
func tokens(text string) []string {
	text = strings.ToLower(text)
	for _, same := range [][2]string{
		{"a.m.", "am"},
		{"p.m.", "pm"},
		{"o'clock", ""},
		{"o’clock", ""},
		{"–", "-"},
		{"forty-five", "45"},
		{"forty five", "45"},
		{"half-hour", "half hour"},
		{"business day", "weekday"},
		{"working day", "weekday"},
		{"week day", "weekday"},
		{"week-day", "weekday"},
		{"work day", "weekday"},
	} {
		text = strings.ReplaceAll(text, same[0], same[1])
	}
	text = strings.TrimRight(strings.TrimSpace(text), ".!")
	var out []string
	for i := 0; i < len(text); {
		kind := kindOf(text[i])
		end := i + 1
		for kind != sign && kind != space && end < len(text) && kindOf(text[end]) == kind {
			end++
		}
		if kind != space {
			out = append(out, text[i:end])
		}
		i = end
	}
	return out
}

type kind int

const (
	space kind = iota
	digit
	letter
	sign
)

func kindOf(b byte) kind {
	switch {
	case b == ' ' || b == '\t' || b == '\n' || b == '\r':
		return space
	case b >= '0' && b <= '9':
		return digit
	case b >= 'a' && b <= 'z' || b == '\'' || b >= 0x80:
		return letter
	default:
		return sign
	}
}
