package price

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
)

// loopTimeout bounds one evaluation of an expression that has a loop (all, map, filter, …), so that a large body cannot
// make it slow. CEL's own cost limit does not help: its tracker is itself quadratic in the length of a loop.
const loopTimeout = 500 * time.Millisecond

// loopCheckEvery is how many steps of a loop pass between checks of the timeout.
const loopCheckEvery = 100

// expressionBytesMax bounds an expression's text.
const expressionBytesMax = 4096

// environment declares what expressions see:
//
//	method  string          "POST"
//	path    string          the decoded path
//	query   map             name to string, or to list of strings where repeated
//	body    dyn             the JSON body; integers are int, other numbers double
//
// with the math extensions (math.greatest, math.least, math.ceil, …) and
// optional values (body.?max_pages.orValue(10)).
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable("method", cel.StringType),
		cel.Variable("path", cel.StringType),
		cel.Variable("query", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("body", cel.DynType),
		cel.OptionalTypes(),
		ext.Math(),
		cel.ParserExpressionSizeLimit(expressionBytesMax),
	)
})

type program struct {
	cel       cel.Program
	usesBody  bool
	usesQuery bool
	hasLoop   bool
	fields    []string // the names that it looks up, at any depth
}

func compileExpression(expr string) (*program, error) {
	env, err := environment()
	if err != nil {
		return nil, fmt.Errorf("expression environment: %w", err)
	}
	checked, issues := env.Compile(expr)
	if issues.Err() != nil {
		return nil, fmt.Errorf("expression `%s`: %w", expr, issues.Err())
	}
	if out := checked.OutputType(); !out.IsExactType(cel.IntType) && !out.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("expression `%s`: returns %s, want an int", expr, out)
	}
	p := &program{}
	p.fields, p.hasLoop = inspect(checked.NativeRep().Expr())
	for _, used := range checked.NativeRep().ReferenceMap() {
		p.usesBody = p.usesBody || used.Name == "body"
		p.usesQuery = p.usesQuery || used.Name == "query"
	}
	p.cel, err = env.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.InterruptCheckFrequency(loopCheckEvery))
	if err != nil {
		return nil, fmt.Errorf("expression `%s`: %w", expr, err)
	}
	return p, nil
}

// eval returns the amount for a request, or ErrBadRequest: an expression that fails on a request refuses it; the
// request never passes unpriced.
func (p *program) eval(ctx context.Context, req *Request) (int64, error) {
	vars := map[string]any{"method": req.Method, "path": req.URL.Path}
	if p.usesQuery {
		query, err := queryVariable(req.URL.RawQuery)
		if err != nil {
			return 0, badRequest([]any{"query"}, "%w", err)
		}
		vars["query"] = query
	}
	if p.usesBody {
		body, err := decoded(req.Body, p.fields)
		if err != nil {
			return 0, err
		}
		vars["body"] = body
	}
	out, _, err := p.run(ctx, vars)
	if kind := notObject(vars["body"]); err != nil && p.usesBody && kind != "" {
		return 0, badRequest(inBody, "must be a JSON object, got %s", kind)
	}
	if err != nil {
		return 0, badRequest(p.place(), "its price cannot be computed: %w", err)
	}
	amount, ok := out.(types.Int)
	if !ok {
		return 0, badRequest(p.place(), "its price is a %s, not an integer", out.Type().TypeName())
	}
	if amount < 0 {
		return 0, badRequest(p.place(), "its price would be %d", amount)
	}
	return int64(amount), nil
}

// notObject says what a body is instead of an object, "" for an object.
func notObject(body any) string {
	switch body.(type) {
	case map[string]any:
		return ""
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case nil:
		return "null"
	}
	return "a number"
}

// place is the part of the request that the price depends on, for the error.
func (p *program) place() []any {
	if p.usesBody {
		return inBody
	}
	return []any{"query"}
}

// inspect returns the names that an expression looks up (body.name, body["name"]
// and "name" in body) and whether it has a loop.
func inspect(expr ast.Expr) (names []string, hasLoop bool) {
	literal := func(e ast.Expr) {
		if e.Kind() != ast.LiteralKind {
			return
		}
		if s, ok := e.AsLiteral().(types.String); ok {
			names = append(names, string(s))
		}
	}
	ast.PostOrderVisit(expr, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.ComprehensionKind:
			hasLoop = true
		case ast.SelectKind:
			names = append(names, e.AsSelect().FieldName())
		case ast.CallKind:
			call := e.AsCall()
			switch call.FunctionName() {
			case operators.Index, operators.OptIndex, operators.OptSelect:
				literal(call.Args()[1])
			case operators.In:
				literal(call.Args()[0])
			}
		default:
		}
	}))
	slices.Sort(names)
	return slices.Compact(names), hasLoop
}

func (p *program) run(ctx context.Context, vars map[string]any) (ref.Val, *cel.EvalDetails, error) {
	if !p.hasLoop {
		return p.cel.Eval(vars)
	}
	ctx, cancel := context.WithTimeout(ctx, loopTimeout)
	defer cancel()
	return p.cel.ContextEval(ctx, vars)
}

func queryVariable(raw string) (map[string]any, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, errors.New("is not well formed")
	}
	query := make(map[string]any, len(values))
	for name, v := range values {
		if len(v) == 1 {
			query[name] = v[0]
		} else {
			query[name] = v
		}
	}
	return query, nil
}
