package frequency

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// understood are sentences as people write them, with their meaning.
var understood = []struct{ text, cron string }{
	{"every hour", "0 * * * *"},
	{"Every hour.", "0 * * * *"},
	{"each hour", "0 * * * *"},
	{"hourly", "0 * * * *"},
	{"@hourly", "0 * * * *"},
	{"once an hour", "0 * * * *"},
	{"once per hour", "0 * * * *"},
	{"every 1 hour", "0 * * * *"},
	{"every one hour", "0 * * * *"},
	{"every 60 minutes", "0 * * * *"},
	{"every sixty minutes", "0 * * * *"},
	{"check every hour", "0 * * * *"},
	{"run hourly please", ""},
	{"every 10 minutes", "*/10 * * * *"},
	{"every 12 minutes", "*/12 * * * *"},
	{"every 15 minutes", "*/15 * * * *"},
	{"every 15 mins", "*/15 * * * *"},
	{"every 15m", "*/15 * * * *"},
	{"every 15min", "*/15 * * * *"},
	{"every fifteen minutes", "*/15 * * * *"},
	{"every 20 minutes", "*/20 * * * *"},
	{"every twenty minutes", "*/20 * * * *"},
	{"every 30 minutes", "*/30 * * * *"},
	{"every half hour", "*/30 * * * *"},
	{"every half an hour", "*/30 * * * *"},
	{"half-hourly", "*/30 * * * *"},
	{"every quarter of an hour", "*/15 * * * *"},
	{"every quarter hour", "*/15 * * * *"},
	{"every 0.5 hours", ""},
	{"twice an hour", "*/30 * * * *"},
	{"3 times an hour", "*/20 * * * *"},
	{"four times per hour", "*/15 * * * *"},
	{"4x per hour", "*/15 * * * *"},
	{"every 2 hours", "0 */2 * * *"},
	{"every two hours", "0 */2 * * *"},
	{"every other hour", "0 */2 * * *"},
	{"every second hour", "0 */2 * * *"},
	{"every couple of hours", "0 */2 * * *"},
	{"every 2h", "0 */2 * * *"},
	{"every 2 hrs", "0 */2 * * *"},
	{"every 120 minutes", "0 */2 * * *"},
	{"every 3 hours", "0 */3 * * *"},
	{"every third hour", "0 */3 * * *"},
	{"every 3rd hour", "0 */3 * * *"},
	{"every 4 hours", "0 */4 * * *"},
	{"every 6 hours", "0 */6 * * *"},
	{"every six hours", "0 */6 * * *"},
	{"every 8 hours", "0 */8 * * *"},
	{"every 12 hours", "0 */12 * * *"},
	{"every 24 hours", "0 0 * * *"},
	{"once every 2 hours", "0 */2 * * *"},
	{"once every hour", "0 * * * *"},
	{"every hour at :15", "15 * * * *"},
	{"every hour at 15 past", "15 * * * *"},
	{"hourly at 5 minutes past the hour", "5 * * * *"},
	{"every hour at minute 20", "20 * * * *"},
	{"every hour at :05 and :35", "5,35 * * * *"},
	{"every 2 hours at :30", "30 */2 * * *"},
	{"every 6 hours starting at 3", "0 3-21/6 * * *"},
	{"every 6 hours starting at 03:30", "30 3-21/6 * * *"},
	{"every 12 hours starting at 6am", "0 6,18 * * *"},
	{"every 30 minutes starting at 00:10", "10,40 * * * *"},
	{"twice a day", "0 */12 * * *"},
	{"twice daily", "0 */12 * * *"},
	{"two times a day", "0 */12 * * *"},
	{"2x a day", "0 */12 * * *"},
	{"2 times per day", "0 */12 * * *"},
	{"thrice a day", "0 */8 * * *"},
	{"three times a day", "0 */8 * * *"},
	{"4 times a day", "0 */6 * * *"},
	{"six times a day", "0 */4 * * *"},
	{"8 times daily", "0 */3 * * *"},
	{"12 times a day", "0 */2 * * *"},
	{"24 times a day", "0 * * * *"},
	{"twice a day at 9 and 17", "0 9,17 * * *"},
	{"twice a day on weekdays", "0 */12 * * 1-5"},
	{"twice a day at 6am and 6pm", "0 6,18 * * *"},
	{"daily", "0 0 * * *"},
	{"@daily", "0 0 * * *"},
	{"every day", "0 0 * * *"},
	{"each day", "0 0 * * *"},
	{"once a day", "0 0 * * *"},
	{"once daily", "0 0 * * *"},
	{"one time per day", "0 0 * * *"},
	{"daily at noon", "0 12 * * *"},
	{"daily at midnight", "0 0 * * *"},
	{"every day at midday", "0 12 * * *"},
	{"every noon", "0 12 * * *"},
	{"noon", "0 12 * * *"},
	{"at noon", "0 12 * * *"},
	{"at noon and midnight", "0 */12 * * *"},
	{"every day at 9", "0 9 * * *"},
	{"every day at 9am", "0 9 * * *"},
	{"every day at 9 AM", "0 9 * * *"},
	{"every day at 9 a.m.", "0 9 * * *"},
	{"every day at 9pm", "0 21 * * *"},
	{"every day at 12am", "0 0 * * *"},
	{"every day at 12 pm", "0 12 * * *"},
	{"every day at 9:30", "30 9 * * *"},
	{"every day at 09:30 UTC", "30 9 * * *"},
	{"every day at 9.30pm", "30 21 * * *"},
	{"every day at 21:30", "30 21 * * *"},
	{"every day at 18h30", "30 18 * * *"},
	{"every day at 18h", "0 18 * * *"},
	{"every day at 0730", "30 7 * * *"},
	{"every day at 07:30:00", "30 7 * * *"},
	{"every day at 9 o'clock", "0 9 * * *"},
	{"every day at 24:00", "0 0 * * *"},
	{"daily 9am", "0 9 * * *"},
	{"9am", "0 9 * * *"},
	{"9am daily", "0 9 * * *"},
	{"9am and 5pm", "0 9,17 * * *"},
	{"at 08:30", "30 8 * * *"},
	{"at 8:30 every day", "30 8 * * *"},
	{"every day @ 7am", "0 7 * * *"},
	{"every day at 9am and 5pm", "0 9,17 * * *"},
	{"every day at 1 and 3 pm", "0 13,15 * * *"},
	{"daily at 8, 12 and 18", "0 8,12,18 * * *"},
	{"daily at 8:15, 12:15, 18:15", "15 8,12,18 * * *"},
	{"daily at 9:00 and 9:30", "*/30 9 * * *"},
	{"each morning at 7", "0 7 * * *"},
	{"every morning", "0 8 * * *"},
	{"every evening at 7", "0 19 * * *"},
	{"every day at 7 in the evening", "0 19 * * *"},
	{"every day at 6 in the morning", "0 6 * * *"},
	{"every afternoon", "0 15 * * *"},
	{"every night at 11", "0 23 * * *"},
	{"every night at 2", "0 2 * * *"},
	{"nightly", "0 22 * * *"},
	{"mornings at 6:30", "30 6 * * *"},
	{"once every morning", "0 8 * * *"},
	{"every weekday", "0 0 * * 1-5"},
	{"every weekday at 9am", "0 9 * * 1-5"},
	{"weekdays at 09:00", "0 9 * * 1-5"},
	{"weekdays 18:00", "0 18 * * 1-5"},
	{"on weekdays at 5:45pm", "45 17 * * 1-5"},
	{"every workday at 8", "0 8 * * 1-5"},
	{"every working day at 8", "0 8 * * 1-5"},
	{"every business day at 8", "0 8 * * 1-5"},
	{"Monday to Friday at 8", "0 8 * * 1-5"},
	{"monday through friday at 8", "0 8 * * 1-5"},
	{"mon-fri at 8", "0 8 * * 1-5"},
	{"mon - fri 8am", "0 8 * * 1-5"},
	{"friday to monday at noon", "0 12 * * 0,1,5,6"},
	{"every weekend at 10", "0 10 * * 0,6"},
	{"weekends at noon", "0 12 * * 0,6"},
	{"mondays", "0 0 * * 1"},
	{"every monday", "0 0 * * 1"},
	{"every monday at 9am", "0 9 * * 1"},
	{"on monday at 9", "0 9 * * 1"},
	{"at 9am on mondays", "0 9 * * 1"},
	{"mondays and fridays at 18:00", "0 18 * * 1,5"},
	{"every tue and thu at 10:30", "30 10 * * 2,4"},
	{"tues, thurs at 10:30", "30 10 * * 2,4"},
	{"Mon, Wed & Fri at 7pm", "0 19 * * 1,3,5"},
	{"mondays, wednesdays, and fridays", "0 0 * * 1,3,5"},
	{"monday and on thursday at noon", "0 12 * * 1,4"},
	{"sundays at 23:00", "0 23 * * 0"},
	{"every day except sunday", "0 0 * * 1-6"},
	{"daily except weekends at 9", "0 9 * * 1-5"},
	{"weekly", "0 0 * * 1"},
	{"every week", "0 0 * * 1"},
	{"once a week", "0 0 * * 1"},
	{"every 7 days", "0 0 * * 1"},
	{"weekly on friday at 4pm", "0 16 * * 5"},
	{"once a week on sunday", "0 0 * * 0"},
	{"every week on tuesday at 08:00", "0 8 * * 2"},
	{"twice a week", "0 0 * * 1,4"},
	{"twice weekly", "0 0 * * 1,4"},
	{"3 times a week at 9am", "0 9 * * 1,3,5"},
	{"twice a week on monday and friday", "0 0 * * 1,5"},
	{"monthly", "0 0 1 * *"},
	{"every month", "0 0 1 * *"},
	{"once a month", "0 0 1 * *"},
	{"twice a month", "0 0 1,15 * *"},
	{"monthly on the 15th", "0 0 15 * *"},
	{"every month on the 15th at noon", "0 12 15 * *"},
	{"on the 1st and 15th at 08:30", "30 8 1,15 * *"},
	{"the 1st, 15th at 8:30", "30 8 1,15 * *"},
	{"on the 1st of the month", "0 0 1 * *"},
	{"on the first of every month at 6am", "0 6 1 * *"},
	{"first day of the month at 6am", "0 6 1 * *"},
	{"every 1st and 15th", "0 0 1,15 * *"},
	{"day 1 and 15 at 9", "0 9 1,15 * *"},
	{"on the 1st to 5th at 9am", "0 9 1-5 * *"},
	{"quarterly", "0 0 1 */3 *"},
	{"every quarter", "0 0 1 */3 *"},
	{"every 3 months", "0 0 1 */3 *"},
	{"every 2 months on the 10th", "0 0 10 */2 *"},
	{"every 6 months", "0 0 1 */6 *"},
	{"twice a year", "0 0 1 */6 *"},
	{"yearly", "0 0 1 1 *"},
	{"annually", "0 0 1 1 *"},
	{"once a year", "0 0 1 1 *"},
	{"every year on march 15", "0 0 15 3 *"},
	{"every year on 15 march at noon", "0 12 15 3 *"},
	{"every january", "0 0 1 1 *"},
	{"on the 1st of january and july", "0 0 1 */6 *"},
	{"every day in december at 8", "0 8 * 12 *"},
	{"every monday in june at 9am", "0 9 * 6 1"},
	{"every 2 hours between 8 and 18", "0 8-18/2 * * *"},
	{"every hour between 9am and 5pm", "0 9-17 * * *"},
	{"every hour from 9 to 5pm", "0 9-17 * * *"},
	{"every hour from 9 to 5", "0 9-17 * * *"},
	{"every hour between 1 and 3pm", "0 13-15 * * *"},
	{"hourly from 9 to 17 on weekdays", "0 9-17 * * 1-5"},
	{"every hour from 8 until 20 mon-fri", "0 8-20 * * 1-5"},
	{"every 30 minutes between 8 and 18", "*/30 8-17 * * *"},
	{"every 15 minutes from 9am to 5pm on weekdays", "*/15 9-16 * * 1-5"},
	{"every 3 hours between 8 and 18", "0 8-17/3 * * *"},
	{"every hour between 22 and 6", "0 0-6,22,23 * * *"},
	{"every hour between 9 and 17 at :30", "30 9-17 * * *"},
	{"every 15 minutes on weekdays", "*/15 * * * 1-5"},
	{"every hour on mondays and fridays", "0 * * * 1,5"},
	{"every 6 hours on weekends", "0 */6 * * 0,6"},
	{"every hour on the 1st", "0 * 1 * *"},
	{"*/15 * * * *", "*/15 * * * *"},
	{"0 9 * * MON-FRI", "0 9 * * MON-FRI"},
	{"0  9 ? * 1", "0 9 ? * 1"},
	{"30 8 1,15 * *", "30 8 1,15 * *"},
	{"0 0 12 * * ?", "0 0 12 * * ?"},
}

// sentencesMin and refusalsMin are the minimum sizes of the tables.
const sentencesMin, refusalsMin = 150, 50

func TestSentences(t *testing.T) {
	t.Parallel()
	right := 0
	for _, tc := range understood {
		if tc.cron == "" {
			continue // seeds of the fuzz test only
		}
		f, err := Parse(tc.text)
		if err != nil || f.Cron != tc.cron {
			t.Errorf("%q: got %q, %v, want %q", tc.text, f.Cron, err, tc.cron)
			continue
		}
		if f.Interval < IntervalMin || f.Named && f.Text != Words(f.Cron) {
			t.Errorf("%q: got %+v", tc.text, f)
		}
		right++
		if kindOf(tc.text[0]) != letter && strings.Count(tc.text, " ") >= 4 {
			continue // expressions have many spellings
		}
		if again, err := Parse(f.Text); err != nil || again.Cron != f.Cron || f.Text == f.Cron {
			t.Errorf("%q is %q in words, which are read as %q, %v, want %q", tc.text, f.Text, again.Cron, err, f.Cron)
		}
	}
	if right < sentencesMin {
		t.Errorf("%d sentences are right, want %d", right, sentencesMin)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		"0 * * * *":              "every hour",
		"15 * * * *":             "every hour at :15",
		"*/15 * * * *":           "every 15 minutes",
		"0 */12 * * *":           "every 12 hours",
		"0 3-21/6 * * *":         "every 6 hours starting at 03:00",
		"0 0 * * *":              "every day at 00:00",
		"0 9 * * 1-5":            "every weekday at 09:00",
		"0 9 * * MON-FRI":        "every weekday at 09:00",
		"30 8 1,15 * *":          "on the 1st and 15th at 08:30",
		"0 18 * * 1,5":           "mondays and fridays at 18:00",
		"0 8-18/2 * * *":         "every 2 hours between 8 and 18",
		"*/30 8-17 * * *":        "every 30 minutes between 8 and 18",
		"0 9-17 * * 1-5":         "every hour between 9 and 17 on weekdays",
		"0 0-6,22,23 * * *":      "every hour between 22 and 6",
		"0 0 1 */3 *":            "every 3 months on the 1st at 00:00",
		"0 0 1 1 *":              "on the 1st at 00:00 in january",
		"0 19 * * 1,2,3,4":       "mon, tue, wed and thu at 19:00",
		"15 8,12,18 * * *":       "every day at 08:15, 12:15 and 18:15",
		"0 12 13 * 5":            "0 12 13 * 5",  // "either day" has no words
		"10 0 9 * * *":           "10 0 9 * * *", // neither have seconds
		"1,2,5,7,11 3,7,9 * * *": "1,2,5,7,11 3,7,9 * * *",
		"no expression":          "no expression",
	} {
		if got := Words(expr); got != want {
			t.Errorf("%q: got %q, want %q", expr, got, want)
		}
	}
}

// refused are texts that are refused, each with a part of the reason and the suggestion.
var refused = []struct{ text, reason, try string }{
	{"", "is missing", "every hour"},
	{"   ", "is missing", ""},
	{"banana", `"banana" is not understood`, "every hour"},
	{"whenever it changes", `"whenever"`, ""},
	{"as often as possible", `"as"`, ""},
	{"sometimes", `"sometimes"`, ""},
	{"every", "missing after", ""},
	{"every blue moon", `"blue"`, ""},
	{"every 5 minutes", "the shortest interval is 10 minutes", "every 10 minutes"},
	{"every minute", "the shortest interval is 10 minutes", "every 10 minutes"},
	{"every 9 minutes", "the shortest interval is 10 minutes", ""},
	{"every 30 seconds", "the shortest interval is 10 minutes", ""},
	{"every second", "the shortest interval is 10 minutes", ""},
	{"12 times an hour", "the shortest interval is 10 minutes", ""},
	{"* * * * *", "1 minute apart", "every 10 minutes"},
	{"*/5 * * * *", "5 minutes apart", ""},
	{"0 0,1 9 * * *", "1 minute apart", ""},
	{"every day at 9:00 and 9:05", "5 minutes apart", ""},
	{"55,0 * * * *", "5 minutes apart", ""},
	{"*/17 * * * *", "9 minutes apart", ""},
	{"0,55 0,23 * * *", "5 minutes apart", ""},
	{"every 90 minutes", "cannot express every 90 minutes", "every 2 hours"},
	{"every hour and a half", "cannot express every 90 minutes", "every hour"},
	{"every 1.5 hours", "cannot express every 90 minutes", ""},
	{"every 1 hour 30 minutes", "cannot express every 90 minutes", ""},
	{"every 45 minutes", "cannot express every 45 minutes", "every 30 minutes"},
	{"every 25 minutes", "cannot express every 25 minutes", "every 20 minutes"},
	{"every 5 hours", "cannot express every 5 hours", "every 4 hours"},
	{"every 7 hours", "cannot express every 7 hours", "every 8 hours"},
	{"every 36 hours", "cannot express every 36 hours", "every day"},
	{"every 2 days", "cannot express every 2 days", "every day"},
	{"every other day", "cannot express every 2 days", ""},
	{"every third day", "cannot express every 3 days", ""},
	{"every 48 hours", "cannot express every 2 days", ""},
	{"every 2 weeks", "cannot express every 2 weeks", "on the 1st and 15th"},
	{"fortnightly", "cannot express every 2 weeks", ""},
	{"every other week", "cannot express every 2 weeks", ""},
	{"every 2 mondays", "skip weeks", ""},
	{"every 5 months", "number of months", "every 3 months"},
	{"every 2 years", "number of months or years", ""},
	{"5 times a day", "cannot be spread evenly", "every 6 hours"},
	{"7 times an hour", "cannot be spread evenly", "every 15 minutes"},
	{"twice a day at 9", "but names 1", ""},
	{"twice a week on monday", "but names 1 days", ""},
	{"9 times a week", "are missing", ""},
	{"0 times a day", "never", ""},
	{"every 0 hours", "never", ""},
	{"three times", "is missing", ""},
	{"on the last day of the month", "last day", "on the 28th"},
	{"end of the month", "last day", ""},
	{"first monday of the month", "cannot express the first monday", "every monday"},
	{"every 2nd tuesday", "nth weekday", ""},
	{"every friday the 13th", "either", ""},
	{"monthly on monday", "which week", ""},
	{"weekly on the 3rd", "no day of the month", ""},
	{"on the 32nd", "32 is not a day", ""},
	{"on the 0th", "0 is not a day", ""},
	{"on the 30th in february", "no such day", ""},
	{"every day at 25", "not a time of day", ""},
	{"every day at 9:75", "not a time of day", ""},
	{"every day at 13pm", "not a time of day", ""},
	{"every day at", "missing after", ""},
	{"at 8:30 and 17:45", "same minutes", "every day at 08:30 and 17:30"},
	{"every day at 9am EST", "UTC", ""},
	{"every day at 9am Berlin time", `"berlin"`, ""},
	{"every hour at 9am", "an interval and a time", "starting at"},
	{"every hour at :75", "minute 75", ""},
	{"every day at :15", "a minute of the hour", ""},
	{"every day between 9 and 17", "needs an interval", "every hour between 9 and 17"},
	{"every hour between 9 and", "two times", ""},
	{"every hour between 9:30 and 17", "full hour", ""},
	{"every hour between 9 and 9", "end after it starts", ""},
	{"every hour every 2 hours", "two intervals", ""},
	{"every day except", "missing after", ""},
	{"weekdays except mon-fri", "no day is left", ""},
	{"every hour in the morning", "give them", "-"},
	{"on the the 1st", "is repeated", ""},
	{"every hour on", "missing after", ""},
	{"60 * * * *", "minute", "0 9 * * 1-5"},
	{"0 24 * * *", "hour", "0 9 * * 1-5"},
	{"0 0 31 2 *", "no such day", "0 9 * * 1-5"},
	{"0 0 * * 8", "day of week", "0 9 * * 1-5"},
	{"* * * *", "got 4 fields", ""},
	{"0 0 0 0", "got 4 fields", ""},
	{"every day at 9am, every weekday at 10am and also 11", "at most 50 characters", ""},
	{strings.Repeat("x", 51), "at most 50 characters, and this has 51", ""},
	{"every \x00 hour", "must be valid UTF-8", ""},
	{"every \xff hour", "must be valid UTF-8", ""},
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tc := range refused {
		f, err := Parse(tc.text)
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Errorf("%q: got %+v, %v, want a refusal", tc.text, f, err)
			continue
		}
		if !strings.Contains(e.Reason, tc.reason) {
			t.Errorf("%q: got %q, want %q in it", tc.text, e.Reason, tc.reason)
		}
		if tc.try != "-" && (len(e.Try) == 0 || !strings.Contains(strings.Join(e.Try, "\n"), tc.try)) {
			t.Errorf("%q: got %q to try, want %q among it", tc.text, e.Try, tc.try)
		}
		for _, try := range e.Try {
			if _, err := Parse(try); err != nil {
				t.Errorf("%q: %q is to be tried, and is refused: %v", tc.text, try, err)
			}
		}
	}
	if len(refused) < refusalsMin {
		t.Errorf("%d texts are refused, want %d", len(refused), refusalsMin)
	}
}

// Whatever the text, the parts of the result are consistent.
func FuzzParse(f *testing.F) {
	for _, tc := range understood {
		f.Add(tc.text)
	}
	for _, tc := range refused {
		f.Add(tc.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Parse(text)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Reason == "" {
				t.Fatalf("%q: got %v", text, err)
			}
			return
		}
		if got.Interval < IntervalMin || utf8.RuneCountInString(got.Text) > TextCharsMax {
			t.Fatalf("%q: got %+v", text, got)
		}
		again, err := Parse(got.Text)
		if err != nil || again.Text != got.Text || again.Interval != got.Interval {
			t.Fatalf("%q is %+v, and that %+v, %v", text, got, again, err)
		}
		if got.Text != got.Cron && kindOf(text[0]) == letter && again.Cron != got.Cron {
			t.Fatalf("%q is %q, and %q is %q", text, got.Cron, got.Text, again.Cron)
		}
	})
}
