package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// callFeature is a feature whose work creates a row (a team), or none if it fails. The bodies say what its routes do.
type callFeature struct {
	pool *db.Queries
	runs atomic.Int64
	// before and inside, if set, are called in the transaction: before the response is recorded, and before the commit.
	before, inside func()
}

type callBody struct {
	Say    string `json:"say"`
	Status int    `json:"status,omitempty"`
	Panic  bool   `json:"panic,omitempty"`
	Large  int    `json:"large,omitempty"`
}

type callInput struct {
	ID   string `path:"id"`
	Body decode.Body[callBody]
}

type callAnswer struct {
	Made     string `json:"made"`
	Identity string `json:"identity"`
	Hold     string `json:"hold"`
	Filler   string `json:"filler,omitempty"`
	Secret   string `json:"secret,omitempty"`
}

type callOutput struct{ Body *callAnswer }

func (f *callFeature) Register(api huma.API) {
	register := func(name, path string, handler func(context.Context, *callInput) (*callOutput, error), traits ...principal.Trait) {
		huma.Register(api, huma.Operation{
			OperationID: name, Method: http.MethodPost, Path: path, Metadata: principal.Keyed.Metadata(traits...),
		}, handler)
	}
	register("call", "/v1/parsers/{id}/call", f.plain)
	register("callTx", "/v1/parsers/{id}/calltx", f.inTx)
	register("callAnew", "/v1/parsers/{id}/callanew", f.plain, principal.NoReplay)
}

// plain does its work without a transaction of its own.
func (f *callFeature) plain(ctx context.Context, in *callInput) (*callOutput, error) {
	n := f.runs.Add(1)
	c := principal.From(ctx)
	switch {
	case in.Body.Value.Panic:
		panic("on purpose")
	case in.Body.Value.Status != 0:
		return nil, problemOfStatus(in.Body.Value.Status)
	}
	return &callOutput{&callAnswer{
		Made: fmt.Sprint(n), Identity: c.IdentityID, Hold: c.HoldID, Filler: strings.Repeat("<x>", in.Body.Value.Large),
	}}, nil
}

// inTx creates a team as its work, and records the response in the same transaction.
func (f *callFeature) inTx(ctx context.Context, in *callInput) (*callOutput, error) {
	n := f.runs.Add(1)
	c := principal.From(ctx)
	answer := &callAnswer{Made: fmt.Sprint(n), Identity: c.IdentityID, Hold: c.HoldID, Secret: "the secret"}
	err := f.pool.InTx(ctx, func(tx pgx.Tx, q *db.Queries) error {
		if _, err := q.CreateTeam(ctx, db.CreateTeamParams{ID: fmt.Sprintf("team_of_%s_%d", in.Body.Value.Say, n), Name: "work"}); err != nil {
			return err
		}
		kept := *answer
		kept.Secret = ""
		if f.before != nil {
			f.before()
		}
		if err := c.Record(ctx, tx, &kept); err != nil {
			return err
		}
		if f.inside != nil {
			f.inside()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if in.Body.Value.Panic { // the process ends between commit and response
		panic(http.ErrAbortHandler)
	}
	if in.Body.Value.Status != 0 {
		return nil, problemOfStatus(in.Body.Value.Status)
	}
	return &callOutput{answer}, nil
}

func problemOfStatus(status int) error {
	for _, code := range problem.Codes() {
		if code.Kind().Status == status {
			return problem.New(code, "as it was asked for")
		}
	}
	panic(status)
}

// works counts the rows of work.
func (s *service) works(say string) int {
	s.t.Helper()
	var n int
	must(s.t, s.pool.QueryRow(s.t.Context(), `select count(*) from team where id like 'team\_of\_' || $1 || '\_%'`, say).Scan(&n))
	return n
}

func setupCalls(t *testing.T) (*service, *callFeature) {
	t.Helper()
	f := &callFeature{}
	s := setup(t, options{features: []api.Feature{f}, api: func(c *api.Config) {
		rules := c.Book.Document().Rules
		rules = append(rules, price.Rule{
			Methods: []string{http.MethodPost}, Path: "/v1/parsers/*/*", Unit: edgewire.UnitCredit, Price: price.Fixed(3), DryRun: true,
		})
		book, err := price.New(rules)
		must(t, err)
		c.Book = book
	}})
	f.pool = s.queries
	return s, f
}
