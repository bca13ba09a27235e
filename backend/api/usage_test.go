package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/apikey"
)

// use records usage as the meter does, at a given time.
func (s *service) use(team, key, operation, at string, credits, requests int) {
	s.t.Helper()
	_, err := s.pool.Exec(s.t.Context(), `
		insert into ledger_usage (debit_account, credit_account, amount, key_id, operation, n, created_at)
		select c.id, r.id, $1, (select id from api_key where public_id = $2), $3, $4, $5::timestamptz
		from ledger_account c, ledger_account r
		where c.team_id = $6 and c.kind = 'customer' and r.kind = 'revenue' and r.unit = 'credit'`,
		credits, key, operation, requests, at, team)
	must(s.t, err)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	one, two := s.key(0), s.key(0)
	other := s.newTeam()
	s.use(s.team, one.ID, "scrape", "2026-01-31T23:59:59.999Z", 3, 2)
	s.use(s.team, two.ID, "scrape", "2026-02-01T00:00:00Z", 20, 1)
	s.use(s.team, one.ID, "search", "2026-02-01T01:00:00+02:00", 5, 1) // still January in UTC
	s.use(s.team, "", "crawl", "2026-02-03T12:00:00Z", 7, 1)
	s.use(other, "", "crawl", "2026-02-03T12:00:00Z", 1000, 1)
	me := asks(s.team, one.ID)
	row := func(label any, credits, requests int) string {
		return fmt.Sprintf("%v %d/%d", label, credits, requests)
	}
	for _, tt := range []struct {
		query string
		total string
		want  []string
	}{
		{"?from=2026-01-01&to=2026-02-28", "35/5", []string{row("2026-01-31", 8, 3), row("2026-02-01", 20, 1), row("2026-02-03", 7, 1)}},
		{"?from=2026-01-01&to=2026-02-28&group_by=endpoint", "35/5", []string{row("scrape", 23, 3), row("crawl", 7, 1), row("search", 5, 1)}},
		{"?from=2026-01-01&to=2026-02-28&group_by=key", "35/5", []string{row(two.ID, 20, 1), row(one.ID, 8, 3), row("", 7, 1)}},
		{"?from=2026-01-31&to=2026-01-31", "8/3", []string{row("2026-01-31", 8, 3)}},
		{"?from=2026-02-01&to=2026-02-01&group_by=day", "20/1", []string{row("2026-02-01", 20, 1)}},
		{"?from=2026-02-01T00:00:00Z&to=2026-02-03T12:00:00Z", "20/1", []string{row("2026-02-01", 20, 1)}},
		{"?from=2026-02-01T01:00:00%2B02:00&to=2026-02-01T00:00:00Z", "8/3", []string{row("2026-01-31", 8, 3)}},
		{"?to=2026-02-03", "35/5", []string{row("2026-01-31", 8, 3), row("2026-02-01", 20, 1), row("2026-02-03", 7, 1)}},
		{"?from=2025-02-03&to=2026-02-03&group_by=endpoint", "35/5", []string{row("scrape", 23, 3), row("crawl", 7, 1), row("search", 5, 1)}},
		{"?from=2026-03-01&to=2026-03-01", "0/0", []string{}},
	} {
		w := s.get(me, "/user/usage"+tt.query)
		wantStatus(t, w, http.StatusOK)
		got := decoded[accounts.Usage](t, w)
		rows := []string{}
		for _, r := range got.Usage {
			label := ""
			for _, l := range []*string{r.Day, r.Endpoint, r.KeyID} {
				if l != nil {
					label = *l
				}
			}
			rows = append(rows, row(label, int(r.Credits), int(r.Requests)))
			if (r.KeyName != nil) != (r.KeyID != nil) {
				t.Errorf("%s: got key %v called %v", tt.query, r.KeyID, r.KeyName)
			}
		}
		if total := fmt.Sprintf("%d/%d", got.Credits, got.Requests); total != tt.total || fmt.Sprint(rows) != fmt.Sprint(tt.want) {
			t.Errorf("%s: got %s: %q, want %s: %q", tt.query, total, rows, tt.total, tt.want)
		}
	}
	// The default range is the last 30 days.
	wantStatus(t, s.get(me, "/user/usage"), http.StatusOK)
}

func TestUsageThatIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	me := asks(s.team, s.key(apikey.ScopesAll).ID)
	for query, says := range map[string]string{
		"?from=yesterday":                          "query.from: must be a date such as 2026-01-31",
		"?to=2026-13-01":                           "query.to: must be a date",
		"?from=2026-02-30":                         "query.from: must be a date",
		"?from=2026-1-1":                           "query.from: must be a date",
		"?from=1700000000":                         "query.from: must be a date",
		"?from=2026-01-01T00:00:00":                "query.from: must be a date",
		"?from=2026-01-01T00:00:00+02:00":          "query.from: must be a date", // the plus decodes to a space
		"?from=2026-02-02&to=2026-02-01":           "query.from: must be before to",
		"?from=2026-02-01T00:00:00Z&to=2026-01-31": "query.from: must be before to",
		"?from=9998-01-01":                         "query.from: must be before to",
		"?from=2025-02-02&to=2026-02-03":           "query.from: must be at most 366 days before to",
		"?from=2020-01-01":                         "query.from: must be at most 366 days",
		"?group_by=month":                          "query.group_by",
		"?from=" + strings.Repeat("2", 41):         "query.from",
		"?from=2026-01-01%00":                      "query.from",
		"?from=0000-01-01T00:00:00Z&to=2026-01-01": "query.from",
		"?from=x&to=y":                             "query.to: must be a date",
	} {
		e := wantError(t, s.get(me, "/user/usage"+query), problem.ValidationError)
		if !strings.Contains(e.Detail, says) {
			t.Errorf("%s: got %q, want %q in it", query, e.Detail, says)
		}
	}
}
