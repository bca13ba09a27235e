package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/reconcile"
	"github.com/turnpike-edge/turnpike/payments/reconcile/checks"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
)

const (
	reconcileEveryName    = "TURNPIKE_RECONCILE_EVERY"
	reconcileEveryDefault = time.Hour
	reconcileEveryMax     = 7 * 24 * time.Hour
)

// reconcileEveryFromEnv returns how often the books are compared; 0 for never.
func reconcileEveryFromEnv() (time.Duration, error) {
	const off = "off"
	switch text := os.Getenv(reconcileEveryName); text {
	case "":
		return reconcileEveryDefault, nil
	case off:
		return 0, nil
	default:
		every, err := time.ParseDuration(text)
		if err != nil || every < reconcile.EveryMin || every > reconcileEveryMax {
			return 0, fmt.Errorf("%s is %q: want %s to %s, such as 1h, or %s", reconcileEveryName, text, reconcile.EveryMin, reconcileEveryMax, off)
		}
		return every, nil
	}
}

// openReconciling creates the schedule that compares the books, and the metrics of its results. It uses the same nodes
// as the operator's commands, and a session that may read whole tables, like theirs.
func (b *Backend) openReconciling(ctx context.Context, cfg Config) error {
	b.registry.MustRegister(reconcile.NewCollector(b.pool), b.lostPayments())
	if cfg.ReconcileEvery == 0 || !cfg.Role.works() {
		return nil
	}
	urls, err := checks.NodeURLs(os.Environ())
	if err != nil {
		return err
	}
	b.books, err = db.Open(ctx, cfg.DirectURL, func(c *pgxpool.Config) {
		c.MaxConns = 1
		Unbounded(c)
	})
	if err != nil {
		return err
	}
	topups, err := checks.TopUps(b.books, checks.LostSince)
	if err != nil {
		return err
	}
	all := []reconcile.Check{checks.Ledger(b.books), checks.Claims(refunds.NewAuditor(b.books, evm.NewChains(nil), time.Now)), topups}
	if len(urls) > 0 {
		all = append(all,
			b.onChain(func(a *refunds.Auditor) reconcile.Check { return checks.FinalBlocks(a, cfg.Logger) }),
			b.onChain(func(a *refunds.Auditor) reconcile.Check {
				return checks.Statements(a, time.Now().Add(-checks.LostSince))
			}))
	}
	b.reconciling = reconcile.NewSchedule(reconcile.ScheduleConfig{DB: b.books, Every: cfg.ReconcileEvery, Checks: all, Logger: cfg.Logger})
	return nil
}

// onChain returns a check that connects to the nodes each time, so that the backend also starts while a node is
// unreachable.
func (b *Backend) onChain(check func(*refunds.Auditor) reconcile.Check) reconcile.Check {
	return reconcile.Check{Name: check(nil).Name, Run: func(ctx context.Context) (reconcile.Result, error) {
		nodes, err := checks.NodesFromEnv(ctx)
		if err != nil {
			return reconcile.Result{}, err
		}
		defer nodes.Close()
		return check(refunds.NewAuditor(b.books, nodes.Chains, time.Now)).Run(ctx)
	}}
}

const lostTimeout = 2 * time.Second

// lostPayments is the gauge of payments that the chain no longer has. -1: the database does not answer.
func (b *Backend) lostPayments() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "turnpike", Subsystem: "x402", Name: "lost_payments",
		Help: "Payments of the last 31 days that counted as paid and that the chain no longer has; -1 if the database does not respond.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), lostTimeout)
		defer cancel()
		n, _, err := refunds.NewAuditor(b.pool, nil, time.Now).Lost(ctx, time.Now().Add(-checks.LostSince))
		if err != nil {
			return -1
		}
		return float64(n)
	})
}

// examineReconciling reports how often the books are compared, and with which chains.
func examineReconciling() Finding {
	const name = "Reconciliation by backends"
	every, err := reconcileEveryFromEnv()
	urls, nodesErr := checks.NodeURLs(os.Environ())
	switch err := errors.Join(err, nodesErr); {
	case err != nil:
		return Finding{name, false, err.Error()}
	case every == 0:
		return Finding{name, true, "off: run `turnpike payments reconcile --record` regularly instead"}
	case len(urls) == 0:
		return Finding{name, true, fmt.Sprintf("every %s, without a chain: to include one, set %s", every, checks.NodeName)}
	}
	return Finding{name, true, fmt.Sprintf("every %s, with %d chains", every, len(urls))}
}
