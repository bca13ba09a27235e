package main

import (
	"slices"
	"time"
)

// absence is a time in which one of the processes was down.
type absence struct {
	victim  victim
	from    time.Time // just before the kill
	gone    time.Time // certainly dead
	respawn time.Time // the restart began
	to      time.Time // serves again
}

// reconnectWithin is how long an edge may need to find a database that is up again: package credits retries at
// intervals of at most 500 ms, and so does the pooler (server_login_retry).
const reconnectWithin = 2 * time.Second

// timeWithout returns how much of the time from one moment to another no victim was down. The time that edges need to
// reconnect after a database is back counts as down.
func timeWithout(absences []absence, from, to time.Time, victims ...victim) time.Duration {
	type span struct{ from, to time.Time }
	var spans []span
	for _, a := range absences {
		if !slices.Contains(victims, a.victim) {
			continue
		}
		end := a.to
		if a.victim.isDatabase() && !end.IsZero() {
			end = end.Add(reconnectWithin)
		}
		if end.IsZero() || end.After(to) {
			end = to
		}
		spans = append(spans, span{a.from, end})
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	var with time.Duration
	at := from
	for _, s := range spans {
		if s.from.After(at) {
			with += max(earlier(s.from, to).Sub(at), 0)
		}
		if s.to.After(at) {
			at = s.to
		}
	}
	return with + max(to.Sub(at), 0)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
