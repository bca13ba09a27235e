package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// onceBody is a body with each way of reading JSON: fields, a list, a default and a type that reads its own text.
type onceBody struct {
	Count int          `json:"count" minimum:"1"`
	Names []string     `json:"names,omitempty" maxItems:"3"`
	Order decode.Whole `json:"order,omitempty"`
	Kind  string       `json:"kind,omitempty" default:"plain"`
}

type onceInput struct{ Body decode.Body[onceBody] }

// onceFeature has an operation whose price is quoted, and one whose price is computed from the body.
type onceFeature struct {
	quoted, ran *onceBody
	body        *edgewire.Body
}

func (f *onceFeature) Register(a huma.API) {
	for _, path := range []string{"/v1/once/quoted", "/v1/once/computed"} {
		huma.Register(a, huma.Operation{OperationID: path, Method: http.MethodPost, Path: path, Metadata: principal.Keyed.Metadata()},
			func(ctx context.Context, in *onceInput) (*struct{}, error) {
				f.ran, f.body = in.Body.Value, decode.From(ctx)
				return nil, nil //nolint:nilnil // there is no response
			})
	}
}

func (f *onceFeature) Quote(_ context.Context, _ *principal.Caller, r price.QuoteRequest) (n int64, err error) {
	if f.quoted, err = decode.Request[onceBody](r.Body); err != nil {
		return 0, err
	}
	return int64(f.quoted.Count), nil
}

// The price, the schema and the fields of a request come from one decoding of its body.
func TestBodyIsDecodedOnce(t *testing.T) {
	t.Parallel()
	rule := price.Rule{Methods: []string{http.MethodPost}, Path: "/v1/once/quoted", Unit: edgewire.UnitCredit, Price: price.Quoted()}
	other := rule
	other.Path, other.Price = "/v1/once/computed", price.Expression("body.count + size(body.names)")
	book, err := price.New([]price.Rule{rule, other})
	must(t, err)
	f := &onceFeature{}
	s := setup(t, options{features: []api.Feature{f}, api: func(c *api.Config) { c.Book = book }})
	const body = `{"count": 2, "names": ["a", "b\u00e9"], "order": 7}`
	for _, uri := range []string{"/v1/once/quoted", "/v1/once/computed"} {
		f.quoted, f.ran, f.body = nil, nil, nil
		got := s.do(call{method: http.MethodPost, uri: uri, body: body, identity: teamPays(s.team, 9)})
		wantStatus(t, got, http.StatusNoContent)
		if want := (onceBody{Count: 2, Names: []string{"a", "bé"}, Order: decode.Whole("7"), Kind: "plain"}); fmt.Sprint(*f.ran) != fmt.Sprint(want) {
			t.Errorf("%s: got %+v, want %+v", uri, *f.ran, want)
		}
		if f.body.Decoded() == 0 || f.body.Decoded() > len(body) {
			t.Errorf("%s: %d bytes were decoded of a body of %d", uri, f.body.Decoded(), len(body))
		}
		if strings.HasSuffix(uri, "quoted") && f.quoted != f.ran {
			t.Errorf("%s: the quote and the operation made two requests of the body", uri)
		}
	}
}
