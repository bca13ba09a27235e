package rules

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

const (
	// DefinitionBytesMax is the maximum size of a definition.
	DefinitionBytesMax = 64 << 10
	// FieldsMax is how many fields a definition may have, including alternatives.
	FieldsMax = 200
	// DepthMax is how deep fields may nest.
	DepthMax = 8
	// ResultBytesMax is the maximum size of a result, as JSON.
	ResultBytesMax = 5_000_000

	nameBytesMax        = 64
	descriptionBytesMax = 1000
	expressionBytesMax  = 1000
	transformsMax       = 20
	alternativesMax     = 20

	// stepsMax is how many nodes a run may visit, over all fields. A page has some ten thousand.
	stepsMax = 20_000_000
	// expressionStepsMax is the limit of one XPath expression, because the library stores the nodes that it has visited.
	expressionStepsMax = 3_000_000
	// expressionTextMax is how much text of the page an XPath expression may receive.
	expressionTextMax = 32 << 20
	// valuesMax is how many values a result may have.
	valuesMax = 200_000
	// textBytesMax is how much text a run may take from a page, over all fields, since results consist of it.
	textBytesMax = 32 << 20
	// TimeMax is how long a run may take. Most take milliseconds.
	TimeMax = 10 * time.Second
	// bytesPerStep is how much scanned text counts as one step.
	bytesPerStep = 32
	// ctxEvery is how many steps pass between checks of the context.
	ctxEvery = 1024
)

// Errors of runs that exceed a limit.
var (
	ErrSteps  = errors.New("the parser needs more steps on this page than are allowed")
	ErrValues = errors.New("the parser finds more values on this page than a result can have")
	ErrText   = errors.New("the parser takes more text from this page than a result can have")
)

// budget is the rest of a run's limits.
type budget struct {
	ctx      context.Context //nolint:containedctx // lives as long as one run
	steps    int
	values   int
	text     int
	untilCtx int
}

func newBudget(ctx context.Context) *budget {
	return &budget{ctx: ctx, steps: stepsMax, values: valuesMax, text: textBytesMax}
}

// step spends n steps, one for each visited node.
func (b *budget) step(n int) error {
	if b.steps -= n; b.steps < 0 {
		return ErrSteps
	}
	if b.untilCtx -= n; b.untilCtx <= 0 {
		b.untilCtx = ctxEvery
		return b.ctx.Err()
	}
	return nil
}

// look spends the steps for scanning n bytes of text.
func (b *budget) look(n int) error { return b.step(1 + n/bytesPerStep) }

// value spends one value of the result.
func (b *budget) value() error {
	if b.values--; b.values < 0 {
		return ErrValues
	}
	return nil
}

// put spends the text of a whole value of the result, with everything in it.
func (b *budget) put(value any) error {
	switch v := value.(type) {
	case string:
		return b.take(len(v))
	case json.Number:
		return b.take(len(v))
	case []any:
		for _, one := range v {
			if err := errors.Join(b.value(), b.put(one)); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, one := range v {
			if err := errors.Join(b.value(), b.take(len(name)), b.put(one)); err != nil {
				return err
			}
		}
	}
	return nil
}

// take spends n bytes of text.
func (b *budget) take(n int) error {
	if b.text -= n; b.text < 0 {
		return ErrText
	}
	return nil
}
