package frequency

import (
	"strings"
	"time"
)

const (
	// TextCharsMax is the maximum length of a sentence. It and IntervalMin are part of the API's contract.
	TextCharsMax = 50
	// IntervalMin is the shortest interval of a sentence.
	IntervalMin = 10 * time.Minute
)

// Frequency is how often something should happen.
type Frequency struct {
	// Cron is the canonical form: five fields, or an expression as the client wrote it.
	Cron string
	// Text is the frequency in words, as by [Words], without a time of day if none was named.
	Text string
	// Named reports that an hour or minute was named. Otherwise any time with the same interval will do, so that frequent
	// choices such as every hour need not all run in the same second.
	Named bool
	// Interval is the shortest time between two runs.
	Interval time.Duration
}

// Error says why a text is not a frequency, in words for its author.
type Error struct {
	Reason string
	// Try are sentences to use instead: the nearest ones, or examples.
	Try []string
}

func (e *Error) Error() string {
	if len(e.Try) == 0 {
		return e.Reason
	}
	return e.Reason + `: try "` + strings.Join(e.Try, `", "`) + `"`
}
