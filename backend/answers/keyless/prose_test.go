package keyless

import (
	"fmt"
	"slices"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// TestProse asks what testdata/prose.txt asks: all of it is to be found, and nothing else given.
func TestProse(t *testing.T) {
	t.Parallel()
	wantAnswers(t, "testdata/prose.txt")
}

// TestIsTopic: a page is about what its headline names, and not about what its name only is a part of, or that it mentions.
func TestIsTopic(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, title, body, task string
		want                    standing
	}{
		{"headline", "Tolland Mill to close", "<h1>Tolland Mill to close in May</h1><p>It had been open for years.</p>", "Tolland Mill: owner?", own},
		{"lead", "“We began in a barn”", "<h1>“We began in a barn”</h1><p>Ada Plum has run Tolland Mill for years.</p>", "Tolland Mill: owner?", topical},
		{
			"a directory", "Whom to call",
			"<h1>Whom to call</h1><p>Ada Plum runs the office.</p><p>Office phone: 01632 960 001</p><p>Shop phone: 01632 960 002</p><p>Mill phone: 01632 960 003</p>" +
				"<p>Barn phone: 01632 960 004</p>", "Phone of Ada Plum", local,
		},
		{"the name of another", "Tolland Mill Tower", "<h1>Tolland Mill Tower</h1><p>Near Tolland Mill there is a tower.</p>", "Tolland Mill: owner?", local},
		{"a name with small words", "Boy and a Kite at Noon", "<h1>Boy and a Kite at Noon</h1><p>A picture.</p>", "Who painted Boy and a Kite at Noon?", own},
		{"a verb before the subject", "Tolland Mill is open", "<h1>Tolland Mill is open</h1><p>It is.</p>", "Research the Tolland Mill: owner", own},
		{"an aspect of the subject", "Tolland", "<h1>Tolland</h1><p>A town.</p>", "Geography of Tolland", own},
		{"a year behind the subject", "Go to the Tolland Mill Fair", "<h1>Go to the Tolland Mill Fair</h1><p>It is in May.</p>", "When is the Tolland Mill Fair 2026?", topical},
		{"the plural of the subject", "Tolland Oil Lamp", "<h1>Tolland Oil Lamp</h1><p>A lamp.</p>", "Price of Tolland Oil Lamps", own},
		{"an order behind the subject", "Tolland Mill", "<h1>Tolland Mill</h1><p>A mill.</p>", "Find out the owner of Tolland Mill See the register", own},
		{"what the task begins with", "Night porter (m/f)", "<h1>Night porter (m/f)</h1><p>At the Tolland Inn.</p>", "Night porter job at the Tolland Inn", own},
		{
			"a match", "Goals galore at Tolland", "<h1>Goals galore at Tolland</h1><p>Tolland Reds beat Marl Town.</p>",
			"Tolland Reds against Marl Town: referee?", topical,
		},
		{"a name in full", "Ada Plum", "<h1>Ada Plum</h1><p>Ada Rose Plum (1901 – 1980) was a miller.</p>", "Where was Ada Rose Plum born?", own},
		{"another's name in full", "Ada Plum", "<h1>Ada Plum</h1><p>Ada Jane Plum was a miller, and Rose her dog.</p>", "Where was Ada Rose Plum born?", local},
		{"what the page is", "Ada Plum, miller", "<h1>Ada Plum</h1><p>She died in May.</p>", "Obituary of Ada Plum: age", own},
		{"an institution of a name", "Tolland", "<h1>Tolland</h1><p>A town.</p>", "Bank of Tolland: phone", foreign},
		{"a timeline", "Timeline of Tolland", "<h1>Timeline of Tolland</h1><p>It began in 1201.</p>", "When did the railway come to Tolland?", own},
		{"where the subject is", "Institute of Tides", "<h1>Institute of Tides</h1><p>Nora Vey works here.</p>", "Phone of Nora Vey at the Institute of Tides", local},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := read(sourceOf(t, "https://a.example/page", tt.title, tt.body))
			a := understand(ask.Task{Text: tt.task})
			a.rename(p)
			if got := a.stand(p); got != tt.want {
				t.Errorf("got %v, want %v: %q", got, tt.want, a.entities)
			}
		})
	}
}

func TestStem(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"opened", "opens", "opening", "open"},
		{"wrote", "written", "writer"},
		{"planned", "plans", "plan"},
		{"invested", "investor"},
		{"translated", "translator", "translates"},
		{"weighs", "weight"},
	} {
		for _, word := range same[1:] {
			if stem(word) != stem(same[0]) {
				t.Errorf("%s: got %s, want %s as of %s", word, stem(word), stem(same[0]), same[0])
			}
		}
	}
	if akin(ideas(stem("opened")), ideas(stem("closed"))) {
		t.Error("opened and closed say the same")
	}
}

func TestEnumerated(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ash, oak and elm.":                     "[ash oak elm]",
		"ash, oak, and elm, and is made of it.": "[ash oak elm]",
		"ash and oak; the rest is beech":        "[ash oak]",
		"ash.":                                  "[]",
		"what nobody had thought of before, it": "[]",
	} {
		if got := fmt.Sprint(enumerated(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestClearest: of the values of a sentence one stands out, or all are rivals.
func TestClearest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		all  []told
		want []told
	}{
		{[]told{{"a", 0.7}, {"b", 0.8}}, []told{{"b", 0.8}}},
		{[]told{{"a", 0.79}, {"b", 0.8}}, []told{{"b", 0.8}, {"a", 0.79}}},
		{[]told{{"a", 0.6}}, []told{{"a", 0.6}}},
		{nil, nil},
	} {
		if got := clearest(slices.Clone(tt.all)); !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v, want %v", tt.all, got, tt.want)
		}
	}
}

// FuzzProse: whatever a page and a task say, reading them ends, and what is given stands on the page.
func FuzzProse(f *testing.F) {
	f.Add("Ann Lee, who has led it since 2014, paid €3 (down from €4) to Bo.", "Who leads it, and what did it cost?")
	f.Add("from 3 May 2020 to 4 May 2021; (1 May 1900 – 2 May 1950)", "When does it start?")
	f.Fuzz(func(t *testing.T, text, question string) {
		source := sourceOf(t, "https://a.example/page.txt", "", text)
		answer(t, &world{pages: []*ask.Source{source}}, question, `{"leader": "", "price": 0, "start_date": "", "names": [""], "where": "place in which it is"}`)
	})
}
