package plan

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/clip"
)

// AttemptsMax is how many plans a model may propose for a request.
const AttemptsMax = 3

// Options configure a Planner. Zero values are the defaults.
type Options struct {
	// Guard refuses URLs that this installation does not fetch. Default PublicOnly.
	Guard GuardFunc
	// Budget limits the model for one plan. Default AttemptsMax steps, 60,000 tokens, 90 s.
	Budget llm.Budget
	// ReplyTokens limits each reply of the model. Default 3,000.
	ReplyTokens int
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// Record receives what each plan used of the model; nil: not recorded.
	Record func(ctx context.Context, record llm.Record)
}

// Planner makes plans. It is safe for concurrent use.
type Planner struct {
	model   llm.Chatter
	options Options
	logger  *slog.Logger
}

// NewPlanner returns a planner that asks model. If model is nil, all plans are made by rules.
func NewPlanner(model llm.Chatter, options Options, logger *slog.Logger) *Planner {
	options.Budget.Steps = cmp.Or(options.Budget.Steps, AttemptsMax)
	options.Budget.Tokens = cmp.Or(options.Budget.Tokens, 60_000)
	options.Budget.Time = cmp.Or(options.Budget.Time, 90*time.Second)
	options.ReplyTokens = cmp.Or(options.ReplyTokens, 3000)
	if options.Guard == nil {
		options.Guard = PublicOnly
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Planner{model: model, options: options, logger: logger}
}

// Plan makes a plan for a request, and reports its progress to emit (which may be nil) from this goroutine. If no plan can be made,
// the error is an *Error, and the plan has StatusFailed and what was understood. Other errors are r.MayAsk's or wrap the context's.
func (p *Planner) Plan(ctx context.Context, r Request, emit func(Event)) (Plan, error) {
	if emit == nil {
		emit = func(Event) {}
	}
	emit(Event{Phase: PhaseSpec, Message: "Reading the query, source_policy and output_schema."})
	d, err := begin(r, p.options.Guard)
	if err != nil {
		return p.failed(r, Validation{}, err)
	}
	if err := d.named(); err != nil {
		emit(Event{Phase: PhasePlanning, Message: "Finding pages to watch."})
		return p.failed(r, Validation{}, err)
	}
	var history Validation
	may, err := p.mayAsk(ctx, r, &history)
	if err != nil {
		return Plan{}, err
	}
	if may {
		made, ok := p.byModel(ctx, d, &history, emit)
		if err := ctx.Err(); err != nil {
			return Plan{}, fmt.Errorf("planning: %w", err)
		}
		if ok {
			return made, nil
		}
	}
	return p.byRules(d, history, emit)
}

// notAsked is the fault in the history when the model may not be asked.
const notAsked = "the language model was not asked: the team has reached the daily limit of plans that no run has paid for"

// mayAsk reports whether there is a model and it may be asked.
func (p *Planner) mayAsk(ctx context.Context, r Request, history *Validation) (bool, error) {
	if p.model == nil || r.MayAsk == nil {
		return p.model != nil, nil
	}
	may, err := r.MayAsk(ctx)
	if err == nil && !may {
		history.note(p.options.Now(), ByModel, []string{notAsked})
	}
	return may, err
}

// byRules makes a plan without a model.
func (p *Planner) byRules(d *draft, history Validation, emit func(Event)) (Plan, error) {
	emit(Event{Phase: PhasePlanning, Message: "Planning by rules."})
	made, err := d.byRules()
	if err != nil {
		history.note(p.options.Now(), ByRules, []string{err.Error()})
		return p.failed(d.request, history, err)
	}
	for _, word := range strings.SplitAfter(made.Spec.Reasoning, " ") {
		emit(Event{Token: word})
	}
	emit(Event{Phase: PhaseValidating, Message: "Checking the plan."})
	faults := Validate(made, p.options.Guard)
	history.note(p.options.Now(), ByRules, faults)
	if len(faults) > 0 {
		return p.failed(d.request, history, &Error{"No plan could be made for this query: " + strings.Join(faults[:min(len(faults), 3)], "; ") + "."})
	}
	made.DAG.Validation = history
	if len(made.Spec.ChatHistory) == 0 {
		made.Spec.ChatHistory = []Message{{"user", d.request.Query}, {"assistant", made.Spec.Goal + " " + made.Spec.Reasoning}}
	}
	made.stamp(p.options.Now())
	return made, nil
}

// note adds an attempt to the history.
func (v *Validation) note(at time.Time, by string, faults []string) {
	v.Attempts++
	v.IsValid = len(faults) == 0
	if faults == nil {
		faults = []string{}
	}
	v.History = append(v.History, Attempt{Attempt: v.Attempts, At: at.UTC().Truncate(time.Second), By: by, IsValid: v.IsValid, Errors: faults})
}

// Unplanned is what is known of a request before planning: its words, and empty lists. status is the monitor's, since its time.
func Unplanned(r Request, status Status, since time.Time) Plan {
	p := Plan{
		Spec: Spec{
			Status: status, Input: Input{Query: r.Query, SourcePolicy: r.SourcePolicy}, Output: Output{Focus: []string{}, Schema: compact(r.OutputSchema)},
			ChatHistory: []Message{},
		},
		DAG:     DAG{UserQuery: r.Query},
		Tracked: Tracked{URLs: []string{}},
	}
	p.DAG.finish()
	p.stamp(since)
	return p
}

// failed is the plan for a request that cannot be planned.
func (p *Planner) failed(r Request, history Validation, err error) (Plan, error) {
	if len(history.History) == 0 {
		history.note(p.options.Now(), ByRules, []string{err.Error()})
	}
	made := Plan{
		Spec: Spec{
			Status: StatusFailed, Reasoning: err.Error(),
			Input:       Input{Query: r.Query, SourcePolicy: r.SourcePolicy},
			Output:      Output{Focus: []string{}, Schema: compact(r.OutputSchema)},
			ChatHistory: []Message{{"user", r.Query}, {"assistant", err.Error()}},
		},
		DAG: DAG{
			UserQuery: r.Query, IntentMode: IntentState, StreamChangeType: StreamNone, ScrapeStrategy: StrategyDirect,
			Unresolved: []Unresolved{{Part: clip.Chars(oneLine(r.Query), labelCharsMax), Reason: err.Error()}}, Validation: history,
		},
		Tracked: Tracked{Type: TrackedURLs, URLs: []string{}},
	}
	made.DAG.finish()
	made.stamp(p.options.Now())
	return made, err
}
