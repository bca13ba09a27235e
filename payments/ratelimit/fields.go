package ratelimit

import (
	"fmt"
	"strconv"
	"time"
)

// The two fields are lists of structured items (RFC 9651) as
// draft-ietf-httpapi-ratelimit-headers-11 defines them, sections 3 and 4: what
// holds, which stays the same from answer to answer, and what is left of it.

// Policy is the value of RateLimit-Policy: the class's rate and the cap on
// requests in flight. A burst other than the quota is a parameter of our own,
// which clients may ignore.
func (r *Rule) Policy() string { return r.policy }

func (r *Rule) describe() string {
	burst := ""
	if r.limit.Burst != r.limit.Events {
		burst = fmt.Sprintf(";turnpike-burst=%d", r.limit.Burst)
	}
	return fmt.Sprintf(`"%s";q=%d;w=%d%s, "%s";q=%d;qu="concurrent-requests"`,
		r.name, r.limit.Events, int64(r.limit.Window/time.Second), burst, InFlight, r.inFlightMax)
}

// fieldBytes is enough for most values of RateLimit.
const fieldBytes = 80

// State is the value of RateLimit after a decision by the rule. t, in seconds,
// is the time until the quota is one more than r: for r=0 the time to wait.
func (r *Rule) State(d *Decision) string {
	b := make([]byte, 0, fieldBytes)
	b = append(b, '"')
	b = append(b, r.name...)
	b = append(b, `";r=`...)
	b = strconv.AppendInt(b, d.Remaining, 10)
	b = append(b, ";t="...)
	b = strconv.AppendInt(b, wholeSeconds(d.Next), 10)
	b = append(b, `, "`+InFlight+`";r=`...)
	b = strconv.AppendInt(b, d.Free, 10)
	return string(b)
}

// RetryAfter is when a refused request may be let through, in whole seconds. Of
// those in flight nobody knows when they end: it is a second.
func (d *Decision) RetryAfter() time.Duration {
	switch d.Outcome {
	case RateExceeded:
		return time.Duration(wholeSeconds(d.Next)) * time.Second
	case Busy:
		return time.Second
	default:
		return 0
	}
}

// wholeSeconds rounds up: who waits that long comes in time.
func wholeSeconds(d time.Duration) int64 {
	return int64((d + time.Second - 1) / time.Second)
}
