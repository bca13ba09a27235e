package problem

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
	"time"
)

// Every declared code is listed, and has a kind with its own status.
func TestCodesAreComplete(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "problem.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Code" {
				declared++
			}
		}
		return true
	})
	if got := len(Codes()); got != declared {
		t.Errorf("got %d codes listed, want the %d that are declared", got, declared)
	}
	status := 0
	for _, code := range Codes() {
		kind := code.Kind()
		if kind == internalError && code != InternalServerError {
			t.Errorf("%s has no kind", code)
		}
		if kind.Status < status {
			t.Errorf("%s is out of order", code)
		}
		status = kind.Status
	}
}

func TestErrorHidesItsCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("inner")
	e := From(fmt.Errorf("outer: %w", cause))
	if e.Code != InternalServerError || !errors.Is(e, cause) {
		t.Errorf("got %v, want an internal error that wraps its cause", e)
	}
	o := e.Object("error_1", "https://docs.example/", 7)
	if o.Detail != "Something went wrong on our side." || o.Type != "https://docs.example/api-reference/errors/internal_error" || o.Created != 7 {
		t.Errorf("got %+v", o)
	}
	if got := From(fmt.Errorf("outer: %w", New(NotFound, "x"))); got.Code != NotFound {
		t.Errorf("got %v, want the problem that is wrapped", got)
	}
}

func TestRetryAfterIsRoundedUp(t *testing.T) {
	t.Parallel()
	e := &Error{Code: Overloaded, RetryAfter: 1001 * time.Millisecond}
	if got := e.GetHeaders().Get("Retry-After"); got != "2" {
		t.Errorf("got %q, want 2", got)
	}
	if got := New(Overloaded, "x").GetHeaders(); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

func TestValidationNamesEveryFault(t *testing.T) {
	t.Parallel()
	e := Validation(BodyFault("a", "is wrong"), Fault{Loc: []any{"body", "b", 2}, Msg: "is missing", Type: FaultMissing})
	if want := "The request is not valid: body.a: is wrong; body.b.2: is missing."; e.Detail != want {
		t.Errorf("got %q, want %q", e.Detail, want)
	}
}
