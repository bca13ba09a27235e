package frequency

import (
	"strings"
	"time"
)

const (
	// TextCharsMax is how long a sentence may be. From the service's contract, as is the next.
	TextCharsMax = 50
	// IntervalMin is how often a sentence may ask for something at most.
	IntervalMin = 10 * time.Minute
)

// Frequency is how often something is to happen.
type Frequency struct {
	// Cron is the meaning: five fields, or as the caller wrote it where that was an expression.
	Cron string
	// Text is the meaning in words, as [Words] has it, without the time of day where nobody named one.
	Text string
	// Named says that somebody named a time: the hour, the minute. Otherwise any will do that is as often, so that
	// what many want every hour need not all run at its first second.
	Named bool
	// Interval is the shortest time between two firings.
	Interval time.Duration
}

// Error says why a text is no frequency. Its texts are for whoever wrote it.
type Error struct {
	Reason string
	// Try are sentences that would do: what comes nearest, or examples.
	Try []string
}

func (e *Error) Error() string {
	if len(e.Try) == 0 {
		return e.Reason
	}
	return e.Reason + `: try "` + strings.Join(e.Try, `", "`) + `"`
}
