package frequency

import "testing"

// A time that the user did not name is not in the text: it would be misleading.
func TestTextOfNoNamedTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"every day":                    "every day",
		"daily":                        "every day",
		"every week":                   "every monday",
		"every weekday":                "every weekday",
		"3 times a week":               "mondays, wednesdays and fridays",
		"every month":                  "on the 1st",
		"on the 1st and 15th":          "on the 1st and 15th",
		"every 3 months":               "every 3 months on the 1st",
		"twice a day":                  "every 12 hours",
		"hourly":                       "every hour",
		"every day at 00:00":           "every day at 00:00",
		"every day at midnight":        "every day at 00:00",
		"every monday at 12am":         "every monday at 00:00",
		"0 0 * * *":                    "every day at 00:00",
		"on the 1st and 15th at 00:00": "on the 1st and 15th at 00:00",
	} {
		f, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if f.Text != want {
			t.Errorf("%s: got %q, want %q", text, f.Text, want)
		}
		again, err := Parse(f.Text)
		if err != nil || again.Cron != f.Cron || again.Named != f.Named {
			t.Errorf("%s: its text %q is read as %+v, %v", text, f.Text, again, err)
		}
	}
}
