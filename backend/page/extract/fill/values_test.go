package fill

import (
	"encoding/json"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// wanted is a property with that name and schema.
func wanted(t *testing.T, name, schema string) *want {
	t.Helper()
	s, err := jsonschema.Compile([]byte(schema), jsonschema.Forgiving)
	if err != nil {
		t.Fatal(err)
	}
	return newWant(name, s.Root(), nil)
}

func TestConversions(t *testing.T) {
	t.Parallel()
	const number, integer, boolean, text = `{"type":"number"}`, `{"type":"integer"}`, `{"type":"boolean"}`, `{"type":"string"}`
	const day, instant, uri = `{"type":"string","format":"date"}`, `{"type":"string","format":"date-time"}`, `{"type":"string","format":"uri"}`
	for _, tc := range []struct {
		name, schema, language, text string
		want                         any // nil: not to be found
	}{
		{"price", number, "en-US", "$1,299.00", json.Number("1299")},
		{"price", number, "de", "1.299,50 €", json.Number("1299.5")},
		{"price", number, "de", "1.299 €", json.Number("1299")},
		{"price", number, "en", "1.299 €", json.Number("1.299")},
		{"price", number, "en", "1,299 €", json.Number("1299")},
		{"price", number, "fr", "1 299,00 €", json.Number("1299")},
		{"price", number, "fr", "1 299,00 €", json.Number("1299")},
		{"price", number, "de-CH", "CHF 1'299.95", json.Number("1299.95")},
		{"price", number, "en", "from 10 to 20 €", nil},
		{"price", number, "en", "call us", nil},
		{"price_usd", number, "en", "12 €", nil},
		{"price_eur", number, "en", "12 €", json.Number("12")},
		{"price_min", number, "en", "10 – 20 €", json.Number("10")},
		{"price_max", number, "en", "10 – 20 €", json.Number("20")},
		{"population", integer, "en", "1,234,567", json.Number("1234567")},
		{"population", integer, "en", "1.5", nil},
		{"version", number, "en", "1.2.3", nil},
		{"temperature", number, "en", "−4.5 °C", json.Number("-4.5")},
		{"weight_kg", number, "en", "2.4 kg", json.Number("2.4")},
		{"weight_kg", number, "en", "850 g", nil},
		{"area_sqm", number, "de", "82,3 m²", json.Number("82.3")},
		{"rating", number, "en", "4.5 out of 5", json.Number("4.5")},
		{"rating", number, "de", "4,5/5 Sterne", json.Number("4.5")},
		{"duration_minutes", integer, "en", "1 h 30 min", json.Number("90")},
		{"duration_minutes", integer, "en", "PT45M", json.Number("45")},
		{"duration_hours", number, "en", "90 minutes", json.Number("1.5")},
		{"in_stock", boolean, "en", "https://schema.org/InStock", true},
		{"in_stock", boolean, "en", "Sold out", false},
		{"pets_allowed", boolean, "fr", "Oui", true},
		{"balcony", boolean, "de", "Nein", false},
		{"wifi", boolean, "en", "✓", true},
		{"wifi", boolean, "en", "in the lobby", nil},
		{"published", day, "en", "2026-03-02T08:15:00-05:00", "2026-03-02"},
		{"published", day, "en", "March 2, 2026", "2026-03-02"},
		{"published", day, "de", "Stand: 2. März 2026", "2026-03-02"},
		{"published", day, "es", "2 de marzo de 2026", "2026-03-02"},
		{"published", day, "de", "02.03.2026", "2026-03-02"},
		{"published", day, "fr", "02/03/2026", "2026-03-02"},
		{"published", day, "en-US", "03/02/2026", "2026-03-02"},
		{"published", day, "en", "03/02/2026", nil},
		{"published", day, "en", "25/02/2026", "2026-02-25"},
		{"published", day, "en", "30 February 2026", nil},
		{"published", day, "en", "1 March 2026 to 3 March 2026", nil},
		{"published", instant, "en", "2026-03-02T08:15:00Z", "2026-03-02T08:15:00Z"},
		{"published", instant, "en", "2 March 2026, 8.15 am", nil},
		{"link", uri, "en", "/a b", nil},
		{"link", uri, "en", "/a?b#c", "https://example.com/a?b#c"},
		{"link", uri, "en", "javascript:alert(1)", nil},
		{"link", uri, "en", "word", nil},
		{"email", text, "en", "Write to a@b.example today", "a@b.example"},
		{"email", text, "en", "a@b.example or c@b.example", nil},
		{"phone", text, "en", "+1 (555) 010-9999", "+1 (555) 010-9999"},
		{"phone", text, "en", "on request", nil},
		{"currency", text, "en", "£12", "GBP"},
		{"currency", text, "en", "A$12", nil},
		{"status", `{"enum":["in_stock","out_of_stock"]}`, "de", "Auf Lager", "in_stock"},
		{"status", `{"enum":["in_stock","out_of_stock"]}`, "en", "not in stock", nil},
		{"type", `{"enum":["full-time","part-time"]}`, "en", "FULL_TIME", "full-time"},
		{"type", `{"enum":["full-time","part-time"]}`, "en", "full-time or part-time", nil},
		{"stars", `{"enum":[1,2,3]}`, "en", "2.0", json.Number("2")},
		{"author", text, "en", "By Ada Lund - 3 May 2026", "Ada Lund"},
		{"author", text, "en", "https://facebook.com/x", nil},
	} {
		t.Run(tc.name+" "+tc.text, func(t *testing.T) {
			t.Parallel()
			base, err := whatwg.Parse("https://example.com/dir/")
			if err != nil {
				t.Fatal(err)
			}
			c := converter{base: base}
			c.speak(tc.language)
			got, ok := c.scalar(wanted(t, tc.name, tc.schema), tc.text)
			if !ok {
				got = nil
			}
			if got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, label string
		want        bool
	}{
		{"product_name", "Name", true},
		{"datePublished", "Published on", true},
		{"waehrung", "Währung", true},
		{"wohnflaeche_m2", "Wohnfläche", true},
		{"salary_min", "Gehalt", true},
		{"warranty", "Warranty information", true},
		{"opening_hours", "Öffnungszeiten", true},
		{"reviews", "Avis clients", true},
		{"price", "Old price", false},
		{"price", "Name", false},
		{"title", "Entitled", false},
		{"city", "Velocity", false},
	} {
		if got := wanted(t, tc.name, `{"type":["number","string"]}`).match(words(tc.label)) >= leastTrust; got != tc.want {
			t.Errorf("%s and %q: got %t, want %t", tc.name, tc.label, got, tc.want)
		}
	}
}
