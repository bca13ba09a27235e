package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/llm"
)

// Answerer answers tasks: an Agent, or its fallback.
type Answerer interface {
	Answer(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error)
}

// Options limit what one task may use. Zero values are the defaults.
type Options struct {
	// Budget limits the model for the whole task. Default 10 steps, 150,000 tokens, 50 s, because an answer has 60.
	Budget llm.Budget
	// StepTokens limits each reply of the model. Default 2,000.
	StepTokens int
	// StepTime is how long one reply may take, with retries. Default 20 s.
	StepTime time.Duration
	// Searches and Pages are the maximum numbers of searches and opened pages. Default 6 and 10.
	Searches, Pages int
	// PartTokens is how much of a page is shown at once. Default 4,000.
	PartTokens int
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// Record receives what each task used of the model; nil: not recorded.
	Record func(ctx context.Context, record llm.Record)
}

func (o Options) withDefaults() Options {
	o.Budget.Steps = cmp.Or(o.Budget.Steps, 10)
	o.Budget.Tokens = cmp.Or(o.Budget.Tokens, 150_000)
	o.Budget.Time = cmp.Or(o.Budget.Time, 50*time.Second)
	o.StepTokens = cmp.Or(o.StepTokens, 2000)
	o.StepTime = cmp.Or(o.StepTime, 20*time.Second)
	o.Searches = cmp.Or(o.Searches, 6)
	o.Pages = cmp.Or(o.Pages, 10)
	o.PartTokens = cmp.Or(o.PartTokens, 4000)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Agent answers tasks with a model. It is safe for concurrent use.
type Agent struct {
	model    llm.Chatter
	fallback Answerer
	options  Options
	logger   *slog.Logger
}

// New returns an agent. The fallback answers tasks for which the model fails; it must not be nil.
func New(model llm.Chatter, fallback Answerer, options Options, logger *slog.Logger) *Agent {
	return &Agent{model: model, fallback: fallback, options: options.withDefaults(), logger: logger}
}

// Answer implements Answerer. A model that fails or does not finish is not an error: the answer has what was supported so
// far, or is the fallback's if that is nothing. The error is the fallback's, or wraps context.Canceled.
func (a *Agent) Answer(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
	r := a.begin(task, world)
	failure := r.run(ctx)
	record := r.session.Record()
	if a.options.Record != nil {
		a.options.Record(context.WithoutCancel(ctx), record)
	}
	ended := "submitted"
	if failure != nil {
		ended = failure.Error()
	}
	useFallback := len(r.supported) == 0 && !r.submitted && ctx.Err() == nil
	a.logger.InfoContext(ctx, "language model asked for an answer", "model", record.Model, "steps", record.Steps, "tokens_in", record.Usage.Input,
		"tokens_out", record.Usage.Output, "estimated", record.Estimated, "cost_usd", record.Cost.String(), "took", record.Took,
		"searches", r.searches, "pages", r.opened, "supported", len(r.supported), "refused", r.refused, "ended", ended, "fallback", useFallback)
	if errors.Is(ctx.Err(), context.Canceled) {
		return ask.Answer{}, fmt.Errorf("answering with a language model: %w", context.Canceled)
	}
	if useFallback {
		return a.fallback.Answer(ctx, task, world)
	}
	return ask.Compose(task.Format, r.values())
}
