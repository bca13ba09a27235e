package delivery

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// The statuses of deliveries.
const (
	StatusPending   = "pending"
	StatusDelivered = "delivered"
	StatusFailed    = "failed"
)

// The outcomes of tries in metrics.
const (
	OutcomeDelivered = "delivered"
	OutcomeRetried   = "retried" // it failed, and another try follows
	OutcomeFailed    = "failed"  // it was the last one
)

// The errors of a try without a response that are not the receiver's fault.
const (
	ErrorLost     = "worker_lost"
	ErrorInternal = "internal_server_error"
)

// jitter is the part by which a wait is randomly longer or shorter, so that deliveries that failed together are not
// retried together.
const jitter = 0.1

func spread(d time.Duration, chance float64) time.Duration {
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*chance))
}

// Try is the outcome of a try.
type Try struct {
	ID             string // the delivery's, also the group of its task
	Lane           string // the task's
	Made, TriesMax int32  // tries before this one; maximum
	At             time.Time
	Took           time.Duration

	// Taken means delivered. Refused means that no further try would be accepted.
	Taken, Refused bool
	StatusCode     int    // of the response; 0: there was none
	Error          string // why there was no response, or what it said
	// RetryAfter is how long the receiver asks to wait.
	RetryAfter time.Duration
	// Carried is data of the carrier.
	Carried any

	// Status is the new status of the delivery, and Wait the time until the next try if it is pending. Both are set
	// after the try.
	Status string
	Wait   time.Duration
}

// Outcome returns the outcome of the try for metrics.
func (t *Try) Outcome() string {
	switch t.Status {
	case StatusDelivered:
		return OutcomeDelivered
	case StatusFailed:
		return OutcomeFailed
	default:
		return OutcomeRetried
	}
}

// judge sets Status and Wait. The wait that the receiver asked for counts if it is longer than the schedule's.
func (t *Try) judge(schedule []time.Duration, chance float64) {
	switch {
	case t.Taken:
		t.Status = StatusDelivered
	case t.Refused, t.Made+1 >= t.TriesMax:
		t.Status = StatusFailed
	default:
		t.Status = StatusPending
		t.Wait = max(spread(schedule[min(int(t.Made), len(schedule)-1)], chance), t.RetryAfter)
	}
}

// Lane names the lane in which a team's deliveries to one address wait for each other. address is what identifies it.
func Lane(teamID string, address ...string) string {
	sum := sha256.Sum256([]byte(teamID + "\x00" + strings.Join(address, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// byTime sorts tries by their end.
func byTime(tries []*Try) []*Try {
	sorted := slices.Clone(tries)
	slices.SortStableFunc(sorted, func(a, b *Try) int { return a.At.Add(a.Took).Compare(b.At.Add(b.Took)) })
	return sorted
}

func chance() float64 { return rand.Float64() } //nolint:gosec // it only spreads
