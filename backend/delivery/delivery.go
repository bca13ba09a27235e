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

// What came of tries, as metrics say it.
const (
	OutcomeDelivered = "delivered"
	OutcomeRetried   = "retried" // it failed, and there is another
	OutcomeFailed    = "failed"  // it was the last one
)

// Why a try had no answer, where the reason is no receiver's.
const (
	ErrorLost     = "worker_lost"
	ErrorInternal = "internal_server_error"
)

// Schedule returns how long after each try that failed the next one is due: 8 tries over about 24 h.
func Schedule() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute,
		2 * time.Hour, 5 * time.Hour, 8 * time.Hour, 8*time.Hour + 30*time.Minute,
	}
}

// jitter is the part of a wait by which chance makes it longer or shorter, so that what failed together does not come
// back together.
const jitter = 0.1

func spread(d time.Duration, chance float64) time.Duration {
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*chance))
}

// Try is what came of a try.
type Try struct {
	ID             string // the delivery's, which is its task's group
	Lane           string // the task's
	Made, TriesMax int32  // tries before this one; at most
	At             time.Time
	Took           time.Duration

	// Taken says that it was delivered, and Refused that no further try would be.
	Taken, Refused bool
	StatusCode     int    // what was answered; 0: nothing was
	Error          string // why not, or what was said
	// RetryAfter is how long the receiver wants to be left alone.
	RetryAfter time.Duration
	// Carried is the carrier's own.
	Carried any

	// Status is what becomes of the delivery, and Wait how long it is until the next try where it is pending. Both are
	// decided once the try is over.
	Status string
	Wait   time.Duration
}

// Outcome is what came of the try, as metrics say it.
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

// judge decides by what the receiver said. Whoever asks to be left alone is, if that is longer than the schedule's wait.
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

// Lane names whom a delivery waits behind: what else a team sends to an address, by whatever names that.
func Lane(teamID string, address ...string) string {
	sum := sha256.Sum256([]byte(teamID + "\x00" + strings.Join(address, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// byTime orders tries by their end.
func byTime(tries []*Try) []*Try {
	sorted := slices.Clone(tries)
	slices.SortStableFunc(sorted, func(a, b *Try) int { return a.At.Add(a.Took).Compare(b.At.Add(b.Took)) })
	return sorted
}

func chance() float64 { return rand.Float64() } //nolint:gosec // it only spreads
