package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"github.com/turnpike-edge/turnpike/backend/api/graceful"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/instance"
)

// sweepEvery is how often lost edges, and the holds they left, are looked for. Every edge does this too.
const sweepEvery = 10 * time.Second

// Run runs the parts of the process until ctx ends. Then running requests and tasks get time to finish, both at once.
// The listener is nil if nothing is served.
func (b *Backend) Run(ctx context.Context, listener net.Listener) error {
	stopWatch := b.serveMetrics()
	defer stopWatch()
	running, ctx := errgroup.WithContext(ctx)
	if listener != nil {
		running.Go(func() error { return graceful.Serve(ctx, b.server.HTTPServer(""), listener, drainTimeout) })
	}
	if b.role.works() {
		running.Go(func() error { return b.work(ctx) })
		running.Go(func() error { b.sweepHolds(ctx); return nil })
	}
	if b.reconciling != nil {
		running.Go(func() error { b.reconciling.Run(ctx); return nil })
	}
	return running.Wait()
}

// sweepHolds ends the holds of lost edges and expired jobs, until ctx ends.
func (b *Backend) sweepHolds(ctx context.Context) {
	judge, ledger := instance.NewJudge(b.pool, sweepEvery), credits.NewLedger(b.pool)
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := b.sweep(ctx, judge, ledger); err != nil && ctx.Err() == nil {
			b.logger.Error("background work failed", "doing", "sweeping holds", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (b *Backend) sweep(ctx context.Context, judge *instance.Judge, ledger *credits.Ledger) error {
	expired, err := ledger.ExpireHolds(ctx)
	if expired > 0 {
		b.logger.Warn("settled expired holds of jobs", "holds", expired)
	}
	if err != nil {
		return err
	}
	if _, _, err := judge.Round(ctx); err != nil {
		return err
	}
	voided, err := ledger.Sweep(ctx)
	if voided > 0 {
		b.logger.Warn("voided the holds of lost edges", "holds", voided)
	}
	return err
}

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// OpenMetrics opens the address for metrics; with an empty address it does nothing.
func (b *Backend) OpenMetrics(ctx context.Context, address string) (err error) {
	if address == "" {
		return nil
	}
	if b.watch, err = new(net.ListenConfig).Listen(ctx, "tcp", address); err == nil {
		b.logger.Info("serving metrics", "address", b.watch.Addr().String())
	}
	return err
}

const (
	metricsTimeout       = 10 * time.Second
	metricsHeaderTimeout = 5 * time.Second
)

// serveMetrics serves metrics and health, also while the process shuts down, until the returned function is called.
func (b *Backend) serveMetrics() (stop func()) {
	if b.watch == nil {
		return func() {}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(b.registry, promhttp.HandlerOpts{Timeout: metricsTimeout}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"status":"ok"}` + "\n"))
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: metricsHeaderTimeout}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(b.watch); !errors.Is(err, http.ErrServerClosed) {
			b.logger.Error("serving metrics", "error", err)
		}
	}()
	return func() {
		_ = server.Close() // also closes the listener; metrics are no longer needed
		<-done
	}
}
