package problem

import (
	"encoding/json"
	"strings"
	"testing"
)

// An error stays short whatever was sent: the client chooses the names in a body and the number of faults.
func TestValidationIsShort(t *testing.T) {
	t.Parallel()
	long := Fault{Loc: []any{"body", "items", 7, strings.Repeat("é", 70_000)}, Msg: "is not " + strings.Repeat("x", 70_000), Type: FaultUnknown}
	many := make([]Fault, 10_000)
	for i := range many {
		many[i] = Fault{Loc: []any{"body", i}, Msg: "is not a field of this request", Type: FaultUnknown}
	}
	for name, faults := range map[string][]Fault{"long": {long}, "many": many, "long and many": {long, long, long, long, long, long, long, long, long, long}} {
		body, err := json.Marshal(Validation(faults...).Object("error_1", "", 0))
		if err != nil || len(body) > 32<<10 {
			t.Errorf("%s: got %d bytes (%v), want 32 KiB at most", name, len(body), err)
		}
	}
	if got := Validation(long).Detail; !strings.HasPrefix(got, "The request is not valid: body.items.7.éé") || !strings.Contains(got, "é…: is not xx") {
		t.Errorf("got %.300q, want the place and what is wrong, cut", got)
	}
	e := Validation(many...)
	if faults, _ := e.Metadata["errors"].([]Fault); len(faults) != faultsMax || !strings.HasSuffix(e.Detail, "; and 9950 more.") {
		t.Errorf("got %d faults and %q, want the first %d and how many more there are", len(faults), e.Detail[len(e.Detail)-60:], faultsMax)
	}
	short := Fault{Loc: []any{"body", "url"}, Msg: "is required", Type: FaultMissing}
	if got := Validation(short).Detail; got != "The request is not valid: body.url: is required." {
		t.Errorf("got %q", got)
	}
}
