package ask

import "strings"

// unitNames are the spellings of units, with their dimension. Spellings of the same unit have the same name.
var unitNames = func() map[string][2]string {
	out := map[string][2]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(`
length mm millimetre millimetres millimeter millimeters
length cm centimetre centimetres centimeter centimeters
length m metre metres meter meters
length km kilometre kilometres kilometer kilometers
length ft feet foot
length in inch inches
length mi mile miles
length yd yard yards
mass g gram grams gramme grammes
mass mg milligram milligrams
mass kg kilogram kilograms kilo kilos
mass t tonne tonnes
mass lb lbs pound pounds
mass oz ounce ounces
volume ml millilitre millilitres milliliter milliliters
volume cl centilitre centilitres
volume l litre litres liter liters
volume gal gallon gallons
area ha hectare hectares
area m2 sqm
area km2 sqkm
area acre acres
time s sec secs second seconds
time min mins minute minutes
time h hr hrs hour hours
time day days
time week weeks
time month months
time year years
power w watt watts
power kw kilowatt kilowatts
power mw megawatt megawatts
energy kwh
energy kcal
energy kj
data kb
data mb
data gb
data tb
share % percent pct
speed kmh
speed mph
speed kn knot knots
`), "\n") {
		all := strings.Fields(line)
		for _, spelling := range all[1:] {
			out[spelling] = [2]string{all[0], all[1]}
		}
	}
	return out
}()

// UnitNames maps each spelling of a unit to its dimension and name: "metres" to "length" and "m". Do not modify the map.
func UnitNames() map[string][2]string { return unitNames }

// ambiguousUnits are spellings that are usually another word.
var ambiguousUnits = set("in t h s l g w m min day days year years month months week weeks hour hours second pounds pound foot % percent pct t")

// datePart are units that at the end of a name ask for a part of a date: "first_year", unlike "warranty_years".
var datePart = set("year month week day")

// UnitOf returns the unit that a field's name or description asks for, and its dimension: "m" and "length" for "depth_m"
// or "in metres"; empty if there is none.
func UnitOf(field Field) (unit, dimension string) {
	name := words(field.Name)
	if last := len(name) - 1; last > 0 && !datePart[name[last]] {
		if u, ok := unitNames[name[last]]; ok {
			return u[1], u[0]
		}
	}
	described := fold(field.Description)
	for i, word := range described {
		u, ok := unitNames[word]
		if !ok {
			continue
		}
		if i > 0 && described[i-1] == "in" || !ambiguousUnits[word] {
			return u[1], u[0]
		}
	}
	return "", ""
}

// conflicts reports whether a unit has the field's dimension but is a different unit.
func conflicts(field Field, unit string) bool {
	wanted, dimension := UnitOf(field)
	u, ok := unitNames[strings.TrimRight(strings.ReplaceAll(unit, "²", "2"), ".")]
	return ok && wanted != "" && u[0] == dimension && u[1] != wanted
}
