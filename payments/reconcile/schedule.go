package reconcile

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/db"
)

// ScheduleConfig configures a [Schedule].
type ScheduleConfig struct {
	// DB is the database that keeps the turns and the results. Required.
	DB db.DBTX
	// Every is how often the checks run, in whichever process. Required: EveryMin or more.
	Every time.Duration
	// Checks run in this order. Required.
	Checks []Check
	// Logger logs each difference. Required.
	Logger *slog.Logger
}

// EveryMin is the shortest time between two turns.
const EveryMin = time.Minute

const (
	// pollEvery is how often a process checks whether a turn is due.
	pollEvery = 30 * time.Second
	// differencesLogged is how many differences of one check are logged.
	differencesLogged = 20
)

// Schedule runs checks periodically. Of all processes with the same database, one has the turn. The database row of the
// turn keeps others from taking one before the time is up, and a turn ends by then.
type Schedule struct {
	cfg  ScheduleConfig
	q    *db.Queries
	poll time.Duration
}

// NewSchedule returns a schedule that has not started.
func NewSchedule(cfg ScheduleConfig) *Schedule {
	return &Schedule{cfg: cfg, q: db.New(cfg.DB), poll: pollEvery}
}

// Run takes turns until ctx ends.
func (s *Schedule) Run(ctx context.Context) {
	ticker := time.NewTicker(s.poll)
	defer ticker.Stop()
	for {
		if err := s.Turn(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Logger.Error("background work failed", "doing", "reconciling", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Turn runs the checks if they are due and no other process runs them.
func (s *Schedule) Turn(ctx context.Context) error {
	due, err := s.q.TakeReconcileTurn(ctx, pgtype.Interval{Microseconds: s.cfg.Every.Microseconds(), Valid: true})
	if err != nil {
		return fmt.Errorf("claiming the reconciliation run: %w", err)
	}
	if due == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Every-s.cfg.Every/10)
	defer cancel()
	for _, c := range s.cfg.Checks {
		if c.Skipped != "" {
			continue
		}
		if err := s.make(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// make runs one check and saves the result. It logs each difference, so that an operator who gets an alert about the
// number can read the details.
func (s *Schedule) make(ctx context.Context, c Check) error {
	note := db.NoteReconcileCheckParams{Name: c.slug()}
	result, err := c.Run(ctx)
	if err != nil {
		note.Failure = strings.ToValidUTF8(err.Error(), "?")
		s.cfg.Logger.Error("a reconciliation check failed", "check", c.Name, "error", err)
	} else {
		note.Differences = int64(len(result.Differences))
	}
	for i, d := range result.Differences {
		if i == differencesLogged {
			s.cfg.Logger.Error("reconciliation found more differences than are logged", "check", c.Name, "differences", len(result.Differences))
			break
		}
		s.cfg.Logger.Error("reconciliation found a difference", "check", c.Name, "subject", d.Subject, "detail", d.Detail)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout) // also if the turn took too long
	defer cancel()
	if err := s.q.NoteReconcileCheck(ctx, note); err != nil {
		return fmt.Errorf("recording the result of %s: %w", c.Name, err)
	}
	return nil
}

const noteTimeout = 10 * time.Second

// slug returns the check's name as a label.
func (c Check) slug() string {
	return strings.NewReplacer(", ", "_", "-", "", " ", "_").Replace(strings.ToLower(c.Name))
}

// collector exports the last results of the checks, whichever process ran them.
type collector struct {
	q                        *db.Queries
	differences, age, failed *prometheus.Desc
}

// NewCollector returns the metrics of the scheduled checks. It omits the values if the database does not answer in
// time.
func NewCollector(conn db.DBTX) prometheus.Collector {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("turnpike_reconcile_"+name, help, []string{"check"}, nil)
	}
	return &collector{
		q:           db.New(conn),
		differences: desc("differences", "Differences that the last reconciliation found, by check."),
		age:         desc("age_seconds", "Seconds since a check last completed."),
		failed:      desc("failed", "Whether the last run of a check failed: 1 or 0."),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(descs chan<- *prometheus.Desc) {
	descs <- c.differences
	descs <- c.age
	descs <- c.failed
}

const collectTimeout = 2 * time.Second

// Collect implements prometheus.Collector.
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	rows, err := c.q.ListReconcileChecks(ctx)
	if err != nil {
		return
	}
	gauge := func(desc *prometheus.Desc, value float64, check string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, check)
	}
	for _, row := range rows {
		failed := 0.0
		if row.Failed {
			failed = 1
		}
		gauge(c.failed, failed, row.Name)
		if row.AgeSeconds >= 0 {
			gauge(c.differences, float64(row.Differences), row.Name)
			gauge(c.age, row.AgeSeconds, row.Name)
		}
	}
}
