package run

import "testing"

func TestSummaryIsHeldToTheDifference(t *testing.T) {
	t.Parallel()
	const diff = "The price on shop.example/lamp went from €49.00 to €39.00 (Lumen X2).\n- Price: €49.00\n+ Price: €39.00\n  Sold by Acme Lamps on 2 March 2026"
	const query = "the price of the Lumen lamp in Paris, below 30"
	for text, want := range map[string]bool{
		"The price fell from €49.00 to €39.00.":                   true,
		"Lumen X2: the price is now €39.00 instead of €49.00.":    true,
		"Acme Lamps lowered the price. It was €49.00.":            true,
		"The lamp in Paris is cheaper: €39.00.":                   true,
		"The price fell by €10.":                                  false, // true, but not in the difference
		"The price fell by a quarter.":                            false,
		"The price fell by twenty percent.":                       false,
		"The price fell below 30.":                                false, // numbers in the query are only wishes
		"The price fell from €49.00 to €38.00.":                   false,
		"Globex lowered the price to €39.00.":                     false,
		"The price is €39.00, says Globex.":                       false,
		"The price fell to €39.00. See evil.example/offer.":       false,
		"The price fell to €39.00, see https://evil.example now.": false,
		"<b>The price fell</b> to €39.00":                         false,
		"":                                                        false,
		"Sold on 3 March 2026 for €39.00.":                        false,
		"The price fell to €39.00\u202e.":                         false,
	} {
		if got := isSupported(text, diff, query); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// FuzzSummary: no summary with a number that is not in the difference is accepted.
func FuzzSummary(f *testing.F) {
	f.Add("The price fell to 39.", "Price: 49 39")
	f.Add("Éire ٣ ½ x²", "")
	f.Fuzz(func(t *testing.T, text, diff string) {
		if !isSupported(text, diff, "") {
			return
		}
		known := map[string]bool{}
		for _, word := range token.FindAllString(diff, -1) {
			known[plainToken(word)] = true
		}
		for _, word := range token.FindAllString(text, -1) {
			for _, r := range word {
				if '0' <= r && r <= '9' && !known[plainToken(word)] {
					t.Errorf("%q passed, without %q in %q", text, word, diff)
				}
			}
		}
	})
}
