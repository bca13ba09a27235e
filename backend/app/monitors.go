package app

import (
	"fmt"
	"os"
	"time"

	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// monitorKind is the prefix of the event types of monitors.
const monitorKind = "monitor"

// heartbeatName is the variable with the time between comments in streams.
const heartbeatName = "TURNPIKE_STREAM_HEARTBEAT"

// monitorPlansName is the variable with how many model plans, not paid for by a run, a team may have per day.
const monitorPlansName = "TURNPIKE_MONITOR_PLANS"

const monitorPlansMax = 100_000

// Limits for the time between comments: more often is useless, and less often does not keep a connection alive.
const (
	heartbeatMin = 100 * time.Millisecond
	heartbeatMax = 5 * time.Minute
)

func heartbeatFromEnv() (time.Duration, error) {
	text := os.Getenv(heartbeatName)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < heartbeatMin || d > heartbeatMax {
		return 0, fmt.Errorf("%s is %q: want %s to %s, such as 15s", heartbeatName, text, heartbeatMin, heartbeatMax)
	}
	return d, nil
}

// openMonitors creates monitors. It needs schedules, and must come before openWork, which uses the queues of monitors.
func (b *Backend) openMonitors(cfg Config, urls *blob.Signer, book *price.Book, pages *membudget.Budget) (err error) {
	b.monitors, err = monitors.New(monitors.Config{
		Pool: b.pool, Jobs: jobsOf{b}, Planner: b.newPlanner(cfg), Runner: b.newWatcher(cfg, book, pages), Scheduler: b.schedules,
		Channels: notifications.Targets{Webhooks: hooksOf{b}, SlackHosts: cfg.Notifying.SlackHosts}, Webhooks: hooksOf{b},
		Blobs: b.store, Signer: urls, Heartbeat: cfg.Heartbeat, ModelPlansMax: int64(cfg.ModelPlans), Registerer: b.registry, Logger: cfg.Logger, Now: time.Now,
	})
	if err != nil {
		return err
	}
	b.hasChannels(monitorKind, b.monitors)
	return nil
}

// monitorQueues are the queues of monitors' work.
func (b *Backend) monitorQueues(lease time.Duration) []jobs.Queue {
	plans, runs := b.monitors.Plans(), b.monitors.Runs()
	plans.Lease, runs.Lease = lease, lease
	return []jobs.Queue{plans, runs}
}

// hooksOf checks the addresses of webhooks. It looks up the webhooks late, as they are created after monitors.
type hooksOf struct{ b *Backend }

var _ outbox.Checker = hooksOf{}

func (h hooksOf) Check(rawURL string) error { return h.b.webhooks.Check(rawURL) }
