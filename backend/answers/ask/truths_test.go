package ask

import (
	"encoding/json"
	"testing"
)

// TestTruthsAreOfWhatIsAsked: true is proved by words about the field, not by words about something else.
func TestTruthsAreOfWhatIsAsked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field, description, quote string
		isTrue, isFalse           bool
	}{
		{"available", "", "Available now", true, false},
		{"available", "", "In stock: 4 pieces", true, false},
		{"available", "", "Out of stock", false, true},
		{"available", "", "Sold out. Available again in May", false, true},
		{"in_stock", "", "State: in stock", true, false},
		{"in_stock", "", "Out of stock", false, true},
		{"in_stock", "", "Availability: yes", true, false},
		{"in_stock", "", "It is listed at the stock exchange", false, false},
		{"is_available", "", "The harbour is old", false, false},
		{"in_stock", "", "On stock: yes", true, false},
		{"refunds_enabled", "", `"enabled": true`, true, false},
		{"refunds_enabled", "", `"open": true`, false, false},
		{"refunds_enabled", "", "It is enabled", false, false},
		{"wifi_available", "", "In stock: yes", false, false},
		{"wifi_available", "", "Parking is available", false, false},
		{"wifi_available", "", "Wifi: yes", true, false},
		{"wifi_available", "", "There is no wifi", false, true},
		{"free_parking", "", "Parking: yes", false, false},
		{"free_parking", "", "Entry is free", false, false},
		{"free_parking", "", "Parking is free", true, false},
		{"wheelchair_accessible", "", "Wheelchair access: yes", true, false},
		{"wheelchair_accessible", "", "The archive is not accessible to the public", false, false},
		{"parking", "whether the museum has parking", "The museum is old", false, false},
		{"parking", "whether the museum has parking", "No parking", false, true},
		{"step_free", "whether wheelchairs can get in", "Wheelchairs can use the side door", true, false},
		{"open_on_sunday", "", "Sunday: closed", false, true},
		{"open_on_sunday", "", "We are open on Sunday", true, false},
		{"open_on_sunday", "", "Sunday roast: yes, when open", true, false},
		{"open_on_sunday", "", "Open on Saturday, closed on Sunday", false, false},
		{"accepts_cards", "", "Cards: no", false, true},
		{"dogs_allowed", "", "Are dogs allowed?", false, false},
	} {
		format := formatOf(t, `{"type":"object","properties":{"`+test.field+`":{"type":"boolean","description":"`+test.description+`"}}}`)
		for value, want := range map[string]bool{"true": test.isTrue, "false": test.isFalse} {
			kept, _ := Check(format, []Value{{Path: "/" + test.field, JSON: json.RawMessage(value), URL: "https://port-alder.example/", Quote: test.quote}},
				[]*Source{source("Begin.\n"+test.quote+"\nEnd.", "en")})
			if (len(kept) == 1) != want {
				t.Errorf("%s (%s) = %s by %q: got %v, want %v", test.field, test.description, value, test.quote, len(kept) == 1, want)
			}
		}
	}
}
