package heldout

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const lakeHost = "seen.aarlen.example"

// Namesakes stand beside each other.
var lakeNames = []string{
	"Lake Sorren", "Upper Lake Sorren", "Tarnsee", "Kleiner Tarnsee", "Mirror Lake", "Mirror Pond", "Lac de Vaulx", "Lac du Vaud-Noir", "Grimmelsee",
	"Grimselried Lake", "Lake Ottil", "Lake Ottilia",
	"Blue Tarn", "Black Tarn", "Lej Muntatsch", "Lej Sgrischus Pitschen", "Fuchsweiher", "Dachsweiher", "Lago Ventoso", "Lago Verdoso", "Hauensee", "Silt Lake",
	"Reedmere", "Coldmere", "Stone Basin", "Gletschersee Nord",
}

var communes = []string{"Aarlen", "Bodmen", "Chiavasco", "Degersund", "Emmat", "Flüelen-Ost", "Gorvik"}

func (w *world) lakes() {
	f := frame{
		brand: "Waters of Aarlen", menu: `<li><a href="/all">All waters</a></li><li><a href="/levels">Levels today</a></li>`,
		bottom: "Canton of Aarlen, Office for Water. Hotline in case of floods: 117.",
		beside: `<div class="box">Bathing water of the week: 19 °C in the canal!</div>`,
	}
	shapes := []shape{story, twoUp, headed, spans, noted, across, grid, dashed}
	fish := []string{"perch", "pike", "char", "trout", "whitefish", "tench", "burbot"}
	for i, name := range lakeNames {
		depth, surface, year := 6.5+float64(i*11%73), 14+i*i*3+i, 1840+i*5
		surfaceShown := answersite.Group(float64(surface), 0, []string{"'", " ", ","}[i%3], ".") + " ha"
		depthShown := answersite.Group(depth, 1, "", []string{".", ","}[i%2]) + " m"
		surveyed := answersite.On(1903+i*4, time.Month(1+i*5%12), 3+i*7%24)
		surveyedShown := []string{
			surveyed.Format("Jan 2, 2006"), surveyed.Format("2006/01/02"), answersite.DateIn("sv", surveyed),
			surveyed.Format("Monday, January 2, 2006"),
		}[i%4]
		swim := i%3 != 2
		species := []string{fish[i%7], fish[(i+2)%7], fish[(i+3)%7]}
		outlet := []string{"Arl", "Bisse Noire", "Emmatbach", "Gorvik Canal"}[i%4]
		s := &answersite.Subject{Name: name, Kind: "LakeBodyOfWater", Facts: []fact{
			{
				Field: "max_depth_m", Value: answersite.Num(depth), Label: []string{"Greatest depth", "Max. depth"}[i%2], Shown: depthShown,
				Said: fmt.Sprintf("At its deepest point the lead sinks %s.", depthShown), Ask: "the maximum depth in metres", Clues: []string{"deepest"},
			},
			{
				Field: "surface_ha", Value: answersite.Int(surface), Label: []string{"Surface", "Extent"}[i%2], Shown: surfaceShown,
				Said: fmt.Sprintf("Water spreads over %s when the sluices are shut.", surfaceShown), Ask: "the surface in hectares", Clues: []string{"ha", "spreads"},
			},
			{
				Field: "outflow", Value: answersite.Str(outlet), Label: []string{"Drains into", "Outflow"}[i%2], Shown: outlet,
				Said: fmt.Sprintf("What runs over becomes the %s, its only outflow.", outlet), Ask: "the river or canal it drains into",
				Clues: []string{"outflow", "drains"},
			},
			{
				Field: "commune", Value: answersite.Str(communes[i%7]), Label: "Commune", Shown: communes[i%7],
				Said: fmt.Sprintf("The shore belongs to the commune of %s.", communes[i%7]), Ask: "the commune in which it lies", Clues: []string{"belongs"},
			},
			{
				Field: "fish", Value: answersite.Several(species...), Label: "Fish", Shown: strings.Join(species, ", "),
				Said: fmt.Sprintf("Anglers land these fish: %s.", strings.Join(species, ", ")), Ask: "the kinds of fish", Clues: []string{"anglers"},
			},
			{
				Field: "bathing_allowed", Value: answersite.Is(swim), Label: "Bathing", Shown: yes(swim, "allowed", "not allowed"),
				Said: yes(swim, "Bathing is allowed from June on.", "Bathing is not allowed at any time."), Ask: "whether bathing is allowed",
			},
			{
				Field: "first_survey", Value: answersite.Day(surveyed), Label: []string{"First survey", "First sounded"}[i%2], Shown: surveyedShown,
				Said: fmt.Sprintf("Its bed was sounded for the first time on %s.", surveyedShown), Ask: "the date of the first survey of its depth",
				Clues: []string{"sounded", "survey"},
			},
			{
				Field: "mapped_since", Value: answersite.Int(year), Label: "On maps since", Shown: fmt.Sprint(year),
				Said: fmt.Sprintf("Maps have shown it since %d.", year), Ask: "the year since which it is on maps", Clues: []string{"maps"},
			},
		}}
		s.Drop([][]string{{"mapped_since"}, {"outflow", "max_depth_m"}, {"fish"}, {"first_survey"}, {"commune"}}[i%5]...)
		if shapeAt := i % len(shapes); shapeAt == 4 { // the notes there speak of a survey
			s.Facts = clueless(s.Facts)
			s.Dropped = clueless(s.Dropped)
		}
		w.add("lakes", s, f, "place", lakeHost, "/w/"+path(name), "",
			"<p>A page of the inventory of waters. The path around takes about "+fmt.Sprint(1+i%5)+" hours.</p>"+shapes[i%len(shapes)](s))
	}
	w.quiz("lakes", []string{"max_depth_m", "commune", "outflow", "surface_ha", "first_survey", "bathing_allowed", "mapped_since", "fish"},
		[]string{"Look up {asks} for the water described on {url}", "Please read {url} then report {asks}."},
		[]string{
			"Regarding {name} in the canton of Aarlen, report {asks}.", "{name} (Aarlen). Wanted: {asks}.",
			"For a leaflet on {name} in Aarlen I have to know {asks}.",
		},
		[]string{"Could you look up {asks} of {name} in Aarlen?", "{name} in Aarlen - {asks}, please."})
	w.astray("lakes", "max_depth_m", "How deep is {name} in the canton of Aarlen at most? ({asks})", answersite.FormSchema, 1, 11, 21)
	w.lakeYears(f)
}

// clueless is for pages on which a word stands anyway: the label has to do.
func clueless(facts []fact) []fact {
	for i := range facts {
		facts[i].Clues = nil
	}
	return facts
}

// lakeYears are bulletins of some years: what is asked of another has no answer.
func (w *world) lakeYears(f frame) {
	for i := range 6 {
		lake := w.of["lakes"][i*4]
		visitors := 3100 + i*417
		page := w.Add(lakeHost, "/bulletin/2018/"+path(lake.Name), "place", f.page("Bulletin 2018: "+lake.Name, `<meta name="date" content="2019-02-01">`,
			fmt.Sprintf("<p>In the summer of 2018 wardens counted %s bathers at %s. The clarity was measured at %.1f m that year.</p>",
				answersite.Group(float64(visitors), 0, "'", "."), lake.Name, 2.5+float64(i)*0.4)))
		page.Published = answersite.On(2019, time.February, 1)
		if i%2 == 0 {
			w.Pose(fmt.Sprintf("bulletin-%d-2025", i), answersite.Searched, answersite.FormDescribed,
				fmt.Sprintf("Number of bathers counted at %s (Aarlen) in 2025", lake.Name),
				unsaid("bathers_2025", "bathers counted in the summer of 2025", answersite.Int(0), answersite.OnlyOther, []*answersite.Page{lake.Page},
					[]string{"bathers"}, fmt.Sprint(visitors)))
			continue
		}
		w.Pose(fmt.Sprintf("bulletin-%d-2018", i), answersite.Searched, answersite.FormNone,
			fmt.Sprintf("How many bathers were counted at %s in Aarlen in 2018?", lake.Name),
			said("result", "", answersite.Int(visitors), answersite.Group(float64(visitors), 0, "'", "."), page))
	}
	var table strings.Builder
	for i, lake := range w.of["lakes"] {
		fmt.Fprintf(&table, "<tr><td>%d</td><td><a href=\"/w/%s\">%s</a></td><td>%d</td><td>%.2f</td></tr>", i+1, path(lake.Name), esc(lake.Name), 3+i*7%11,
			5.1+float64(i)*0.37)
	}
	list := w.Add(lakeHost, "/jetties", "collection", f.page("Jetties and ice by water", "",
		"<table><thead><tr><th>No.</th><th>Water</th><th>Jetties</th><th>Weeks of ice</th></tr></thead><tbody>"+table.String()+"</tbody></table>"))
	for i, at := range []int{2, 5, 8, 12, 19} {
		lake := w.of["lakes"][at]
		where := []string{"According to the table on " + list.URL + ", ", ""}[i%2]
		w.Pose(fmt.Sprintf("jetties-%d", at), []answersite.Mode{answersite.Named, answersite.Searched}[i%2],
			[]answersite.Form{answersite.FormSchema, answersite.FormDescribed}[i/2%2],
			where+fmt.Sprintf("how many jetties has %s in the canton of Aarlen, and how many weeks of ice?", lake.Name),
			said("jetties", "how many jetties", answersite.Int(3+at*7%11), fmt.Sprint(3+at*7%11), list),
			said("weeks_of_ice", "weeks of ice", answersite.Num(hundredths(5.1+float64(at)*0.37)), fmt.Sprintf("%.2f", 5.1+float64(at)*0.37), list))
	}
}

func hundredths(f float64) float64 { return float64(int(f*100+0.5)) / 100 }
