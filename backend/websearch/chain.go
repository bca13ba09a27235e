package websearch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// timeoutDefault is the time limit of one provider in a chain.
const timeoutDefault = 5 * time.Second

// Options configure a chain. The zero value works.
type Options struct {
	// Timeout is the time limit of each provider. Default 5 s. The caller's context limits all of them together.
	Timeout time.Duration
	// Log logs failures, without keys and queries. Default: no log.
	Log *slog.Logger
	// Registerer registers the metrics. Default: they are not registered.
	Registerer prometheus.Registerer
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = timeoutDefault
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Chain asks providers in order until one finds something. It is a Provider itself.
type Chain struct {
	members []*member
	options Options
	metrics *metrics
}

type member struct {
	provider Provider
	circuit  circuit
}

// NewChain returns a chain of at least one provider. Their names must differ.
func NewChain(providers []Provider, o Options) (*Chain, error) {
	if len(providers) == 0 {
		return nil, errors.New("searching: no provider is configured")
	}
	c := &Chain{options: o.withDefaults()}
	names := map[string]bool{}
	for _, p := range providers {
		if names[p.Name()] {
			return nil, fmt.Errorf("searching: two providers are named %q", p.Name())
		}
		names[p.Name()] = true
		c.members = append(c.members, &member{provider: p})
	}
	c.metrics = newMetrics(c.Names())
	if err := c.metrics.register(o.Registerer); err != nil {
		return nil, err
	}
	return c, nil
}

// Name implements Provider.
func (c *Chain) Name() string { return strings.Join(c.Names(), ",") }

// Names returns the providers' names, in the order in which they are asked.
func (c *Chain) Names() []string {
	names := make([]string, len(c.members))
	for i, m := range c.members {
		names[i] = m.provider.Name()
	}
	return names
}

// Search implements Provider. It returns the results of the first provider that finds anything. If none does, it fails only
// if no provider answered; a provider without results has answered. The error is an *Error whose Err is Failures.
func (c *Chain) Search(ctx context.Context, q Query) ([]Result, error) {
	q.Text = oneLine(q.Text)
	q.Limit = min(max(q.Limit, 1), LimitMax)
	if q.Text == "" {
		return nil, &Error{Reason: ReasonBadQuery, Message: "the query has no words"}
	}
	var failures Failures
	answered := false
	for _, m := range c.members {
		results, failure := c.ask(ctx, m, q)
		switch {
		case failure != nil:
			failures = append(failures, failure)
		case len(results) > 0:
			return results, nil
		default:
			answered = true
		}
		if errors.Is(ctx.Err(), context.Canceled) {
			return nil, cancelled()
		}
		if ctx.Err() != nil {
			break // no time is left for the others
		}
	}
	if answered || len(failures) == 0 {
		return nil, nil
	}
	return nil, failed(failures)
}

// ask asks one provider, if its circuit breaker allows it.
func (c *Chain) ask(ctx context.Context, m *member, q Query) ([]Result, *Error) {
	name := m.provider.Name()
	leave, barred := m.circuit.ask(c.options.Now())
	if barred != nil {
		c.metrics.asked(name, outcomeSkipped)
		return nil, barred
	}
	begun := c.options.Now()
	results, failure := c.search(ctx, m.provider, q)
	ended := c.options.Now()
	c.metrics.took(name, ended.Sub(begun))
	// If the caller has canceled, or has less time than the provider may take, the failure says nothing about the provider.
	if failure != nil && ctx.Err() != nil {
		failure.passing = true
	}
	switch m.circuit.settle(leave, failure, ended) {
	case opened:
		c.options.Log.WarnContext(ctx, "a search provider is suspended", "provider", name, "reason", string(failure.Reason))
	case closed:
		c.options.Log.InfoContext(ctx, "a search provider is available again", "provider", name)
	case unchanged:
	}
	switch {
	case failure != nil && errors.Is(ctx.Err(), context.Canceled):
		c.metrics.asked(name, outcomeCancelled)
	case failure != nil:
		c.metrics.asked(name, string(failure.Reason))
		level := slog.LevelWarn
		if !failure.counts() {
			level = slog.LevelInfo // clients could fill the log with such failures
		}
		c.options.Log.Log(ctx, level, "a search provider did not answer", "provider", name, "reason", string(failure.Reason), "err", failure)
	case len(results) == 0:
		c.metrics.asked(name, outcomeNothing)
	default:
		c.metrics.asked(name, outcomeFound)
	}
	return results, failure
}

// search asks one provider within its time limit, and filters the results by the query.
func (c *Chain) search(ctx context.Context, p Provider, q Query) ([]Result, *Error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	results, err := p.Search(ctx, q)
	if err == nil {
		return keep(q, p.Name(), results), nil
	}
	var failure *Error
	if errors.As(err, &failure) {
		own := *failure // the provider may return the same error to several searches
		if own.Provider == "" {
			own.Provider = p.Name()
		}
		return nil, &own
	}
	if ctx.Err() != nil {
		return nil, &Error{Provider: p.Name(), Reason: ReasonTimeout, Message: "no response in time", Err: context.DeadlineExceeded}
	}
	return nil, &Error{Provider: p.Name(), Reason: ReasonUnavailable, Message: clean(err.Error(), ""), Err: err}
}

var _ Provider = (*Chain)(nil)
