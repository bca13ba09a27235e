package accounts

import (
	"testing"
	"time"
)

func TestParseRange(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 31, 15, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ name, from, to, want string }{
		{"nothing", "", "", "2026-03-02T00:00:00Z 2026-03-31T15:00:00Z"},
		{"dates", "2026-01-01", "2026-01-31", "2026-01-01T00:00:00Z 2026-02-01T00:00:00Z"},
		{"one day", "2026-01-31", "2026-01-31", "2026-01-31T00:00:00Z 2026-02-01T00:00:00Z"},
		{"a beginning", "2026-03-01", "", "2026-03-01T00:00:00Z 2026-03-31T15:00:00Z"},
		{"an end", "", "2026-01-30", "2026-01-01T00:00:00Z 2026-01-31T00:00:00Z"},
		{"an end at midnight", "", "2026-01-31T00:00:00Z", "2026-01-01T00:00:00Z 2026-01-31T00:00:00Z"},
		{"times", "2026-01-01T10:00:00+02:00", "2026-01-01T09:00:00Z", "2026-01-01T08:00:00Z 2026-01-01T09:00:00Z"},
		{"a leap year", "2024-01-01", "2024-12-31", "2024-01-01T00:00:00Z 2025-01-01T00:00:00Z"},
	} {
		r, err := parseRange(tt.from, tt.to, now)
		if got := r.From.Format(time.RFC3339) + " " + r.To.Format(time.RFC3339); err != nil || got != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

func FuzzParseRange(f *testing.F) {
	f.Add("2026-01-01", "2026-01-31")
	f.Add("", "")
	f.Add("2026-01-01T10:00:00+02:00", "9999-12-31T23:59:59.999999999Z")
	f.Add("0000-01-01T00:00:00Z", "0001-01-01")
	now := time.Date(2026, 3, 31, 15, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, from, to string) {
		r, err := parseRange(from, to, now)
		if err != nil {
			if r != (Range{}) {
				t.Errorf("got %v with error %v, want nothing", r, err)
			}
			return
		}
		if length := r.To.Sub(r.From); length <= 0 || length > usageDaysMax*day {
			t.Errorf("got %v, want up to %d days", r, usageDaysMax)
		}
	})
}
