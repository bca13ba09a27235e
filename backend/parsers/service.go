package parsers

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Pages fetches a page for a team, only through the guarded client. Errors are problems ready for the client; faults of
// the URL itself name the field url. hold accounts for the page's memory.
type Pages interface {
	Page(ctx context.Context, teamID, url string, hold *membudget.Hold) (extract.Source, error)
}

const (
	// TimeoutDefault is how long a trial may take, including its page.
	TimeoutDefault = 60 * time.Second
	// PlacesDefault is how many trials one process runs at once.
	PlacesDefault = 32

	// trialRetention is how long the response of an identity is kept: longer than an identity, or a payment, can be resent.
	trialRetention = 24 * time.Hour
	// staleAfter is how long after its time limit an unfinished trial is considered dead.
	staleAfter = time.Minute
	// cleanupTimeout is for recording the end of a trial after its request is gone.
	cleanupTimeout = 5 * time.Second
	// overloadRetry is when a client may retry if all places are taken.
	overloadRetry = 2 * time.Second
)

// Config configures a Service.
type Config struct {
	Queries *db.Queries `required:"true"`
	Pages   Pages       `required:"true"`
	// Memory is the memory budget for the pages of trials, shared with other users.
	Memory *membudget.Budget `required:"true"`

	// Timeout is the limit of one trial. Default [TimeoutDefault].
	Timeout time.Duration
	// Places limits concurrent trials. Default: [PlacesDefault], without a waiting queue.
	Places *admission.Pool

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

// Service implements parsers.
type Service struct {
	config   Config
	store    *store
	builtIns []*rules.BuiltIn
	workers  *workers
}

// New returns a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
	if config.Timeout < 0 {
		errs = append(errs, errors.New("limits must not be negative"))
	}
	builtIns, err := rules.BuiltIns()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, fmt.Errorf("parsers: %w", err)
	}
	if config.Timeout == 0 {
		config.Timeout = TimeoutDefault
	}
	if config.Places == nil {
		config.Places = admission.New(admission.Config{Size: PlacesDefault})
	}
	now := config.Now
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the database's precision
	return &Service{
		config: config, store: &store{config.Queries}, builtIns: builtIns, workers: newWorkers(config.Logger),
	}, nil
}

// Check reports whether a team can use the parser id. The error is a validation error for the field parser if id is
// malformed, parser_not_found if there is no such parser. Using a parser costs [Credits].
func (s *Service) Check(ctx context.Context, teamID, id string) error {
	_, err := s.Resolve(ctx, teamID, id)
	return err
}

// Resolve returns the reference name@n of the version that id means now, so that long work uses one version throughout.
// Errors are those of Check.
func (s *Service) Resolve(ctx context.Context, teamID, id string) (string, error) {
	r, err := parseReference(id)
	if err != nil {
		return "", problem.Validation(problem.BodyFault("parser", err.Error()))
	}
	found, err := s.find(ctx, teamID, r, false)
	if err != nil {
		return "", err
	}
	return found.summary().Reference, nil
}

// Parse runs the parser id on a page that was read. document should have been read with Options.Structured; otherwise, or
// if it is nil, the page is read again. An exact version is used even if it was deleted meanwhile. Errors are problems:
// parser_not_found, and invalid_parser_input if the page lacks what the parser requires.
func (s *Service) Parse(ctx context.Context, teamID, id string, source extract.Source, document *extract.Document) (json.RawMessage, error) {
	r, err := parseReference(id)
	if err != nil {
		return nil, problem.Validation(problem.BodyFault("parser", err.Error()))
	}
	found, err := s.find(ctx, teamID, r, true)
	if err != nil {
		return nil, err
	}
	out, err := s.runner(found).Do(ctx, source, document)
	if err != nil {
		return nil, runProblem(ctx, err, source)
	}
	if len(out.Faults) > 0 {
		return nil, notApplicable(found.summary().Reference, out.Faults)
	}
	return out.JSON, nil
}

// found is a parser: a version of a team's parser, or a built-in one.
type found struct {
	own     *stored
	builtIn *rules.BuiltIn
}

func (s *Service) find(ctx context.Context, teamID string, r reference, deleted bool) (*found, error) {
	if r.builtIn {
		for _, b := range s.builtIns {
			if b.Name == r.name && (r.version == 0 || r.version == b.Version) {
				return &found{builtIn: b}, nil
			}
		}
		return nil, problem.New(problem.ParserNotFound, "There is no built-in parser with this name and version. GET /v1/parsers lists the available ones.")
	}
	own, err := s.store.find(ctx, teamID, r, deleted)
	switch {
	case errors.Is(err, errNotFound) && principal.From(ctx).Kind == edgewire.PayerWallet:
		return nil, problem.Wrap(problem.ParserNotFound,
			"There is no such parser: a wallet that pays per request can use only the built-in ones, such as @turnpike/article. Other parsers require an API key.", err)
	case errors.Is(err, errNotFound):
		return nil, problem.Wrap(problem.ParserNotFound, "There is no parser with this name, version or id.", err)
	case err != nil:
		return nil, problem.Internal(err)
	}
	return &found{own: own}, nil
}

// runner runs a found parser: built-in ones in this process, a team's in a worker.
func (s *Service) runner(f *found) rules.Runner {
	if f.builtIn != nil {
		return f.builtIn
	}
	return &own{s.workers, f.own.definition}
}

// check compiles a definition that is at loc in a request, and returns its name and description, or its faults.
func (s *Service) check(ctx context.Context, raw []byte, loc ...string) (*reply, []problem.Fault, error) {
	head, err := s.workers.check(ctx, raw, loc...)
	switch {
	case errors.Is(err, rules.ErrSteps), errors.Is(err, errEnded):
		at := make([]any, len(loc))
		for i, part := range loc {
			at[i] = part
		}
		return nil, []problem.Fault{{Loc: at, Msg: "takes more time or memory to compile than is allowed", Type: problem.FaultInvalid}}, nil
	case err != nil:
		return nil, nil, problem.Internal(err)
	}
	return head, head.Faults, nil
}

// Pools are the service's own pools, for metrics.
func (s *Service) Pools() []*admission.Pool { return []*admission.Pool{s.workers.places} }

// Close ends the worker processes.
func (s *Service) Close() { s.workers.close() }

func (f *found) summary() Summary {
	if b := f.builtIn; b != nil {
		return Summary{
			ID: b.Name, Object: "parser", Name: b.Name, Version: b.Version, Reference: versioned(b.Name, b.Version),
			Description: b.Description, BuiltIn: true,
		}
	}
	o := f.own
	created := o.created.Unix()
	return Summary{
		ID: o.id, Object: "parser", Name: o.name, Version: o.version, Reference: versioned(o.name, o.version),
		Description: o.description, Created: &created,
	}
}

func (f *found) parser() (*Parser, error) {
	p := &Parser{Summary: f.summary()}
	if f.builtIn != nil {
		p.Schema = f.builtIn.SchemaJSON
		return p, nil
	}
	var parts struct {
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal(f.own.definition, &parts); err != nil {
		return nil, problem.Internal(fmt.Errorf("stored parser %s: %w", f.own.id, err))
	}
	p.Schema, p.Definition = parts.Schema, f.own.definition
	return p, nil
}

// Create stores a definition as the next version of its name. If it equals the latest, no version is added.
func (s *Service) Create(ctx context.Context, c *principal.Caller, raw []byte) (*Parser, error) {
	if err := subscribersOnly(c); err != nil {
		return nil, err
	}
	d, faults, err := s.check(ctx, raw, "body")
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	same, err := rules.Canonical(raw)
	if err != nil {
		return nil, problem.Internal(err)
	}
	own, err := s.store.create(ctx, &newVersion{
		teamID: c.TeamID, name: d.Name, description: d.Description, definition: raw, sha256: sha256.Sum256(same), now: s.config.Now(),
	})
	switch {
	case errors.Is(err, errFull):
		return nil, problem.Wrap(problem.InvalidState, fmt.Sprintf(
			"A team can have %d parsers, including deleted ones, and %d versions of each. This limit has been reached.", parsersMax, versionsMax), err)
	case err != nil:
		return nil, problem.Internal(err)
	}
	return (&found{own: own}).parser()
}

// Parser returns one version of a parser.
func (s *Service) Parser(ctx context.Context, c *principal.Caller, id string) (*Parser, error) {
	r, err := pathReference(id)
	if err != nil {
		return nil, err
	}
	found, err := s.find(ctx, c.TeamID, r, false)
	if err != nil {
		return nil, err
	}
	return found.parser()
}

// pathReference parses an id in a path. A malformed id counts as not found.
func pathReference(id string) (reference, error) {
	r, err := parseReference(id)
	if err != nil {
		return reference{}, problem.Wrap(problem.ParserNotFound, "There is no such parser: the id "+err.Error()+".", err)
	}
	return r, nil
}

// Delete deletes a parser with all its versions. Runs in progress continue.
func (s *Service) Delete(ctx context.Context, c *principal.Caller, id string) error {
	if err := subscribersOnly(c); err != nil {
		return err
	}
	r, err := pathReference(id)
	switch {
	case err != nil:
		return err
	case r.builtIn:
		return problem.New(problem.AccessDenied, "Parsers that ship with the service cannot be deleted.")
	case r.id != "" || r.version > 0:
		return problem.Validation(problem.Fault{
			Loc: []any{"path", "parser_id"}, Msg: "must be the name without a version: a parser is deleted with all its versions", Type: problem.FaultInvalid,
		})
	}
	err = s.store.delete(ctx, c.TeamID, r.name, s.config.Now())
	switch {
	case errors.Is(err, errNotFound):
		return problem.Wrap(problem.ParserNotFound, "There is no parser with this name.", err)
	case err != nil:
		return problem.Internal(err)
	}
	return nil
}

// subscribersOnly refuses clients that cannot store parsers.
func subscribersOnly(c *principal.Caller) error {
	if c.Kind != edgewire.PayerTeam {
		return problem.New(problem.AccessDenied, "Only subscribers can store parsers: a wallet can use only the built-in ones, such as @turnpike/article.")
	}
	return nil
}

// Purge deletes up to rowsMax trials that cannot be requested again, and returns how many.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int64, error) {
	return s.store.purge(ctx, s.config.Now(), rowsMax)
}
