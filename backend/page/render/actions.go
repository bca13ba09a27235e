package render

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// actions.js performs user actions in a page, reading.js serialises it.
var (
	//go:embed actions.js
	hands string
	//go:embed reading.js
	reading string
)

// world is the name of the isolated world in which our scripts run: the page's scripts cannot see or change what they use.
const world = "turnpike"

// inPage calls a function of actions.js and returns its result or resolved promise. A page may navigate at any moment, which
// ends the world; the function is then called again in the next document.
func inPage[R any](ctx context.Context, t *tab, function string, args ...any) (R, error) {
	for {
		result, err := inPageOnce[R](ctx, t, function, args)
		if !movedOn(err) {
			return result, err
		}
		select { // the next document causes events
		case <-t.changed:
		case <-ctx.Done():
			return result, context.Cause(ctx)
		}
	}
}

// movedOn reports whether err is the browser's error for a document that has been replaced.
func movedOn(err error) bool {
	answer, ok := errors.AsType[*cdproto.Error](err)
	if !ok {
		return false
	}
	for _, text := range []string{"context was destroyed", "Cannot find context", "Promise was collected", "navigated or closed", "No frame for given id", "frame was detached"} {
		if strings.Contains(answer.Message, text) {
			return true
		}
	}
	return false
}

// isAnswer reports whether err is the browser's response to a command, which it has then received.
func isAnswer(err error) bool {
	_, ok := errors.AsType[*cdproto.Error](err)
	return ok
}

func inPageOnce[R any](ctx context.Context, t *tab, function string, args []any) (R, error) {
	var none, result R
	own, err := call(ctx, t.session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: t.frame, WorldName: world})
	if err != nil {
		return none, err
	}
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(...args) {" + hands + reading + "\nreturn " + function + "(...args)}",
		ExecutionContextID:  own.ExecutionContextID, AwaitPromise: new(true), ReturnByValue: new(true), Silent: new(true), UserGesture: new(true),
	}
	for _, arg := range args {
		text, err := jsonv2.Marshal(arg)
		if err != nil {
			return none, err
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: text})
	}
	answer, err := call(ctx, t.session, runtime.CallFunctionOn, params)
	switch {
	case err != nil:
		return none, err
	case answer.ExceptionDetails != nil:
		return none, fmt.Errorf("%s: %s", function, answer.ExceptionDetails.Text)
	case answer.Result == nil || len(answer.Result.Value) == 0:
		return result, nil
	}
	if err := jsonv2.Unmarshal(answer.Result.Value, &result, chromedp.DefaultUnmarshalOptions); err != nil {
		return none, fmt.Errorf("%s: %w", function, err)
	}
	return result, nil
}

// done is the result of an action's function in actions.js.
type done struct {
	// Failure describes what went wrong; "" if nothing.
	Failure string `json:"failure"`
	// Press asks for a click at X, Y, where the function found the element.
	Press bool    `json:"press"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// act performs one action and lets the page settle.
func (t *tab) act(ctx context.Context, index int, action Action) error {
	if action.Kind == ActionWait {
		return t.pause(ctx, action.Duration)
	}
	err := t.watched(ctx, func(ctx context.Context) error {
		outcome, err := t.perform(ctx, action)
		switch {
		case err != nil:
			return err
		case outcome.Failure != "":
			return &Error{Reason: ReasonAction, Action: index, Err: fmt.Errorf("%s %q: %s", action.Kind, action.Selector, outcome.Failure)}
		case outcome.Press:
			return t.press(ctx, outcome.X, outcome.Y)
		default:
			return nil
		}
	})
	if err != nil {
		return err
	}
	return t.settle(ctx)
}

func (t *tab) perform(ctx context.Context, action Action) (done, error) {
	patience := t.config.ActionTimeout.Milliseconds()
	switch action.Kind {
	case ActionClick:
		return inPage[done](ctx, t, "click", action.Selector, patience)
	case ActionFillInput:
		return inPage[done](ctx, t, "fill", action.Selector, action.Value, patience)
	default:
		right, down, _ := action.by()
		return inPage[done](ctx, t, "scroll", right, down)
	}
}

// press clicks with the mouse, so that the page sees a user's click.
func (t *tab) press(ctx context.Context, x, y float64) error {
	for _, event := range []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y},
		{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1},
		{Type: input.DispatchMouseEventTypeMouseReleased, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1},
	} {
		// If the press leads to another document, nothing may be left to acknowledge it.
		if err := do(ctx, t.session, input.DispatchMouseEvent, event); err != nil && !movedOn(err) {
			return err
		}
	}
	return nil
}
