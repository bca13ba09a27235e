package keyless

import (
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

var (
	// longText matches a question for a length, which asks as one for a time does.
	longText = regexp.MustCompile(`(?i)\bhow long\b.*\bin (?:metres|meters|kilometres|kilometers|km|miles|feet|centimetres|cm|m)\b`)
	// doingText matches a question for what somebody works as.
	doingText = regexp.MustCompile(`(?i)^what (?:does|do|did) [^?.;:]{3,80} do(?: (?:at|for|in) [^?.;:]{2,60}| for a living)?\??$`)
	// degreesText matches what is a temperature by its unit.
	degreesText = regexp.MustCompile(`(?i)\bin (?:degrees|°)`)
	// inUnitText matches what is asked in a unit.
	inUnitText = regexp.MustCompile(`(?i)\bin (\pL+)$`)
)

// measure settles what is asked in other words than labels have: what somebody does is a position; by its unit how long something is in
// metres is no time, degrees are of no school,
// and the rain of a day in millimetres is no date.
func (w *want) measure(description string) {
	swap := func(from, to string) {
		for i, term := range w.described {
			if term == from {
				w.described[i] = to
			}
		}
	}
	switch {
	case doingText.MatchString(strings.TrimSpace(description)):
		w.described = append(w.described, "position")
	case longText.MatchString(description):
		swap("duration", "length")
	case degreesText.MatchString(description):
		swap("education", "temperature")
	}
}

// isInUnit reports whether a description ends in the unit of a number.
func (w *want) isInUnit() bool {
	m := inUnitText.FindStringSubmatch(w.field.Description)
	if m == nil || w.field.Type != "" && w.field.Type != "string" && w.field.Type != "number" {
		return false
	}
	unit := strings.ToLower(m[1])
	return !coins[unit] && (isUnit(unit) || unit == "degrees")
}

// coins are units of money, some of which are units of other things too.
var coins = set("euro euros dollar dollars pound pounds franc francs yen eur usd gbp chf")

// looseOff is what is taken from the trust in a number of people where what is asked has another name: people are inhabitants only where no
// sentence says how many inhabitants there are.
const looseOff = 0.1

// isLoose reports whether a number counts people of whom nothing is said of where they live, and something else is asked.
func (w *want) isLoose(noun []word) bool {
	isLiving := len(noun) > 1 && stem(noun[1].lower) == stem("live")
	return noun[0].lower == "people" && !isLiving && !slices.Contains(w.raw, "people") && !strings.Contains(strings.ToLower(w.asking), "people")
}

// measures reports whether a number has the unit that is wanted.
func (w *want) measures(text string, v part) bool {
	for _, n := range ask.NumbersIn(text[v.start:], "en") {
		u, known := ask.UnitNames()[n.Unit]
		return n.Start == 0 && known && (w.unit == "" || u[1] == w.unit || u[0] == w.dimension)
	}
	return false
}

// countsOnly reports whether a field counts things and measures nothing.
func (w *want) countsOnly() bool {
	if m := countText.FindStringSubmatch(w.asking); m != nil && w.unit == "" {
		return !unitWords[strings.ToLower(m[1])]
	}
	return false
}

var countText = regexp.MustCompile(`(?i)\b(?:how many|number of) (\pL+)`)

// unitIdeas are what a unit says that its number measures.
var unitIdeas = map[string]string{"mass": "weigh", "area": "area", "temperature": "temperatur", "data": "siz", "speed": "spe"}

// speedText matches the unit of a speed.
var speedText = regexp.MustCompile(`^ ?(?:km/h|kmh|km an hour|kilomet(?:re|er)s (?:an|per) hour|mph|miles (?:an|per) hour|m/s|knots|kn)\b`)

// unitWord is what the unit of a number says, as if a word before it said so.
func unitWord(text string, v part) []word {
	for _, n := range ask.NumbersIn(text[v.start:], "en") {
		if n.Start != 0 {
			break
		}
		dimension := ask.UnitNames()[n.Unit][0]
		switch rest := text[v.start+n.End:]; {
		case strings.HasPrefix(strings.ReplaceAll(rest, " ", ""), "°"):
			dimension = "temperature"
		case speedText.MatchString(rest):
			dimension = "speed"
		}
		if idea := unitIdeas[dimension]; idea != "" {
			return []word{{start: v.start, end: v.start, ideas: ideas(idea)}}
		}
	}
	return nil
}

// measured are the dimensions of what is measured, by the stems of its words.
var measured = map[string]string{
	"temperatur": "temperature", "weigh": "mass", "high": "length", "long": "length", "wid": "length", "deep": "length", "elevation": "length", "elev": "length", "area": "area",
	"distanc": "length", "temper": "temperature", "spe": "speed", "fast": "speed",
}

// isOfOther reports whether a number has a unit that is not one of what is wanted: metres of an area, minutes of a temperature.
func (w *want) isOfOther(text string, v part) bool {
	if strings.EqualFold(v.text, "one") {
		return true // "one of them", "one day"
	}
	if w.unit != "" && strings.HasPrefix(strings.TrimLeft(text[v.end:], " \u00a0"), "°") {
		return true
	}
	wanted := ""
	for i, x := range append(slices.Clone(w.raw), words(w.asking)...) {
		if d := measured[stem(x)]; d != "" && wanted == "" && !(stem(x) == "long" && i >= len(w.raw)) {
			wanted = d
		}
	}
	if wanted == "" {
		return false
	}
	numbers := ask.NumbersIn(text[v.start:], "en")
	if len(numbers) == 0 || numbers[0].Start != 0 {
		return false
	}
	u, known := ask.UnitNames()[numbers[0].Unit]
	rest := strings.ToLower(text[v.start+numbers[0].End:])
	isArea := strings.HasPrefix(rest, " square") || strings.HasPrefix(rest, " km²") || strings.HasPrefix(rest, " m²") || known && u[0] == "area"
	switch {
	case wanted == "area":
		return known && !isArea
	case isArea:
		return true
	case speedText.MatchString(text[v.start+numbers[0].End:]):
		return wanted != "speed"
	}
	return known && u[0] != wanted
}

// nounOf are the words behind a number that may be what it counts, up to where its phrase ends.
func nounOf(behind []word, v part, text string) []word {
	var out []word
	for i, x := range behind {
		if i > 0 && x.lower == "of" && len(out) == 1 && unitWords[out[0].lower] && i+1 < len(behind) {
			return behind[i+1 : i+2] // "250 g of flour"
		}
		if i >= nounWords || x.breaks != 0 || x.little || i == 0 && !strings.HasPrefix(text[v.end:], " ") && !strings.HasPrefix(text[v.end:], "-") {
			break
		}
		out = append(out, x)
	}
	return out
}
