package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// GroupBy is what usage is grouped by.
type GroupBy string

const (
	GroupByDay      GroupBy = "day" // of UTC
	GroupByEndpoint GroupBy = "endpoint"
	GroupByKey      GroupBy = "key"
)

const (
	// usageDaysMax is the longest range: a leap year.
	usageDaysMax = 366
	// usageDaysDefault is how far back a range without a start goes: 30 days, with the day on which it ends.
	usageDaysDefault = 29

	day = 24 * time.Hour
)

// Range is a time range that includes From and excludes To.
type Range struct{ From, To time.Time }

// Usage is what a team's requests cost in a range.
type Usage struct {
	From     time.Time     `json:"from"`
	To       time.Time     `json:"to" doc:"The end of the range, exclusive."`
	GroupBy  GroupBy       `json:"group_by" enum:"day,endpoint,key"`
	Credits  money.Credits `json:"credits" doc:"The total of the credits charged."`
	Requests int64         `json:"requests" doc:"The number of requests that were charged. Requests that cost nothing are not counted."`
	Usage    []UsageRow    `json:"usage" nullable:"false"`
}

// UsageRow is the part of one day, operation or key.
type UsageRow struct {
	Day      *string       `json:"day" format:"date" doc:"The UTC day. Null unless grouped by day."`
	Endpoint *string       `json:"endpoint" doc:"The operation, as the price list names it. Null unless grouped by endpoint."`
	KeyID    *string       `json:"key_id" doc:"The id of the key. Null unless grouped by key, and for work that no key has requested."`
	KeyName  *string       `json:"key_name" doc:"The name of the key. Null if key_id is null."`
	Credits  money.Credits `json:"credits"`
	Requests int64         `json:"requests"`
}

// UsageIn returns what c's team was charged in a range.
func (s *Service) UsageIn(ctx context.Context, c *principal.Caller, r Range, by GroupBy) (*Usage, error) {
	if err := subscribersOnly(c); err != nil {
		return nil, err
	}
	rows, err := s.store.queries.UsageBy(ctx, db.UsageByParams{GroupBy: string(by), TeamID: c.TeamID, FromTime: r.From, ToTime: r.To})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading the usage of %s: %w", c.TeamID, err))
	}
	usage := &Usage{From: r.From.UTC(), To: r.To.UTC(), GroupBy: by, Usage: make([]UsageRow, len(rows))}
	for i := range rows {
		row := &rows[i]
		usage.Credits += money.Credits(row.Credits)
		usage.Requests += row.Requests
		usage.Usage[i] = UsageRow{Credits: money.Credits(row.Credits), Requests: row.Requests}
		switch by {
		case GroupByDay:
			usage.Usage[i].Day = &row.Label
		case GroupByEndpoint:
			usage.Usage[i].Endpoint = &row.Label
		case GroupByKey:
			usage.Usage[i].KeyID, usage.Usage[i].KeyName = row.KeyID, row.KeyName
		}
	}
	return usage, nil
}

var errTime = errors.New("must be a date such as 2026-01-31, or an RFC 3339 time such as 2026-01-31T12:00:00Z")

// parseRange parses the ends of a range: dates, which are whole UTC days, both included, or times. The default end is
// now, and the default start makes it 30 days.
func parseRange(from, to string, now time.Time) (Range, error) {
	r := Range{To: now.UTC()}
	var faults []problem.Fault
	fault := func(name, msg string) {
		faults = append(faults, problem.Fault{Loc: []any{"query", name}, Msg: msg, Type: problem.FaultInvalid})
	}
	if to != "" {
		at, isDate, err := parseTime(to)
		if err != nil {
			fault("to", err.Error())
		}
		if r.To = at; isDate {
			r.To = at.Add(day)
		}
	}
	r.From = r.To.Add(-1).Truncate(day).Add(-usageDaysDefault * day)
	if from != "" {
		at, _, err := parseTime(from)
		if err != nil {
			fault("from", err.Error())
		}
		r.From = at
	}
	switch {
	case faults != nil:
	case !r.From.Before(r.To):
		fault("from", "must be before to ("+r.To.Format(time.RFC3339)+")")
	case r.To.Sub(r.From) > usageDaysMax*day:
		fault("from", fmt.Sprintf("must be at most %d days before to", usageDaysMax))
	}
	if faults != nil {
		return Range{}, problem.Validation(faults...)
	}
	return r, nil
}

func parseTime(s string) (at time.Time, isDate bool, err error) {
	if at, err := time.Parse(time.DateOnly, s); err == nil {
		return at, true, nil
	}
	if at, err = time.Parse(time.RFC3339, s); err != nil || at.UTC().Year() < 1 || at.UTC().Year() > yearMax {
		return time.Time{}, false, errTime
	}
	return at.UTC(), false, nil
}
