package ratelimit

import (
	"fmt"
	"strconv"
	"time"
)

// Both fields are lists of structured items (RFC 9651), as defined in draft-ietf-httpapi-ratelimit-headers-11, sections
// 3 and 4: the policy, which is the same in every response, and what is left of it.

// Policy returns the value of RateLimit-Policy: the class's rate and the cap on requests in flight. A burst that
// differs from the quota is a parameter of our own, which clients may ignore.
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

// State returns the value of RateLimit after a decision by the rule. t, in seconds, is the time until the quota is one
// more than r: for r=0 the time to wait.
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

// RetryAfter returns when a refused request may be allowed, in whole seconds. When requests in flight end is unknown:
// for those it is one second.
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

// wholeSeconds rounds up: a client that waits that long is never too early.
func wholeSeconds(d time.Duration) int64 {
	return int64((d + time.Second - 1) / time.Second)
}
