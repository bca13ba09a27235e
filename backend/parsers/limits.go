package parsers

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

const (
	// DefinitionBytesMax is the largest definition.
	DefinitionBytesMax = 64 << 10
	// FieldsMax is how many fields a definition has, alternatives included.
	FieldsMax = 200
	// DepthMax is how deep fields nest.
	DepthMax = 8
	// ResultBytesMax is the largest result, as JSON.
	ResultBytesMax = 5_000_000

	nameBytesMax        = 64
	descriptionBytesMax = 1000
	expressionBytesMax  = 1000
	transformsMax       = 20
	alternativesMax     = 20

	// stepsMax is how many nodes one run looks at, over all fields. A page has some ten thousand.
	stepsMax = 20_000_000
	// expressionStepsMax bounds one XPath expression, whose library keeps what it has seen.
	expressionStepsMax = 3_000_000
	// expressionTextMax is how much text it is given by the page.
	expressionTextMax = 32 << 20
	// valuesMax is how many values a result has.
	valuesMax = 200_000
	// textBytesMax is how much text one run takes from a page, over all fields: results are made of it.
	textBytesMax = 32 << 20
	// timeMax is how long one run takes. Most take milliseconds.
	timeMax = 10 * time.Second
	// bytesPerStep is how much text is looked at in a step.
	bytesPerStep = 32
	// ctxEvery is how many steps are taken between two looks at the context.
	ctxEvery = 1024
)

var (
	errSteps  = errors.New("the parser takes more steps on this page than a parser may")
	errValues = errors.New("the parser finds more values on this page than a result may have")
	errText   = errors.New("the parser takes more text from this page than a result may have")
)

// budget is what is left of a run's limits.
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

// step is one node looked at, or n.
func (b *budget) step(n int) error {
	if b.steps -= n; b.steps < 0 {
		return errSteps
	}
	if b.untilCtx -= n; b.untilCtx <= 0 {
		b.untilCtx = ctxEvery
		return b.ctx.Err()
	}
	return nil
}

// look is a look at n bytes of text.
func (b *budget) look(n int) error { return b.step(1 + n/bytesPerStep) }

// value is one value of the result.
func (b *budget) value() error {
	if b.values--; b.values < 0 {
		return errValues
	}
	return nil
}

// put is a whole value that goes into the result, with all that is in it.
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

// take is text of n bytes that is made.
func (b *budget) take(n int) error {
	if b.text -= n; b.text < 0 {
		return errText
	}
	return nil
}
