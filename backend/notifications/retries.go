package notifications

import "time"

// Retries returns the waits after each failed try of a message: 8 tries over about 24 h.
func Retries() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute,
		2 * time.Hour, 5 * time.Hour, 8 * time.Hour, 8*time.Hour + 30*time.Minute,
	}
}
