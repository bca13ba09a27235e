package answers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/db"
)

// Searcher searches the web: a *websearch.Chain.
type Searcher interface {
	Search(ctx context.Context, q websearch.Query) ([]websearch.Result, error)
}

// Pages fetches pages: a *scrapes.Engine.
type Pages interface {
	// Page fetches a page. Its errors are problems. The caller releases hold.
	Page(ctx context.Context, teamID, address string, hold *membudget.Hold) (extract.Source, error)
}

// Files reads the files of teams: a *files.Service.
type Files interface {
	// ContextSize returns the size in bytes of a team's completed context file. Errors are problems: file_not_found,
	// invalid_state, and validation errors.
	ContextSize(ctx context.Context, teamID, id string) (int64, error)
	// Context returns the file's name and its whole content, which is JSON. Errors are those of ContextSize.
	Context(ctx context.Context, teamID, id string) (filename string, content []byte, err error)
}

// Answerer answers tasks: the reader without a model, or a model. Its answers have passed ask.Check. At ctx's deadline it
// returns what is supported so far, without an error.
type Answerer interface {
	Answer(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error)
}

// Blobs stores content: a *blob.Store.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	// DeleteAll deletes every key that begins with the segments. It succeeds if there is none.
	DeleteAll(ctx context.Context, segments string) error
}

// URLSigner signs hosted URLs: a *blob.Signer.
type URLSigner interface {
	URL(key, name, contentType string, ttl time.Duration) (string, error)
}

const (
	// TimeLimitDefault is the time limit of a task. The rest of the contract's 60 seconds is for storing the result.
	TimeLimitDefault = 54 * time.Second
	// RetentionDefault is how long content is kept.
	RetentionDefault = 7 * 24 * time.Hour
	// InlineBytesMaxDefault is how much content an answer contains inline.
	InlineBytesMaxDefault = 6_000_000
	// PlacesDefault is how many tasks one process works on at once.
	PlacesDefault = 32

	// storeTimeout is for writing a finished answer, even if its request is gone.
	storeTimeout = 5 * time.Second
	// staleAfter is how long after its time limit an unfinished attempt is considered dead.
	staleAfter = time.Minute
	// overloadRetry is when a client may retry if all places are taken.
	overloadRetry = 5 * time.Second
)

// Config configures a Service.
type Config struct {
	Queries  *db.Queries       `required:"true"`
	Searcher Searcher          `required:"true"`
	Pages    Pages             `required:"true"`
	Files    Files             `required:"true"`
	Answerer Answerer          `required:"true"`
	Blobs    Blobs             `required:"true"`
	Signer   URLSigner         `required:"true"`
	Memory   *membudget.Budget `required:"true"`

	// TimeLimit is the time limit of a task. Default [TimeLimitDefault].
	TimeLimit time.Duration
	// Retention is how long content is kept. Default [RetentionDefault].
	Retention time.Duration
	// InlineBytesMax is how much content an answer contains inline. Default [InlineBytesMaxDefault].
	InlineBytesMax int64
	// Places limits concurrent tasks. Default: [PlacesDefault], without a waiting queue.
	Places *admission.Pool

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

// Service implements answers. Its errors are problems ready for the client.
type Service struct {
	config Config
	store  *store
}

// New returns a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
	if config.TimeLimit < 0 || config.Retention < 0 || config.InlineBytesMax < 0 {
		errs = append(errs, errors.New("limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	config.TimeLimit = cmp.Or(config.TimeLimit, TimeLimitDefault)
	config.Retention = cmp.Or(config.Retention, RetentionDefault)
	config.InlineBytesMax = cmp.Or(config.InlineBytesMax, InlineBytesMaxDefault)
	if config.Places == nil {
		config.Places = admission.New(admission.Config{Size: PlacesDefault})
	}
	now := config.Now
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the database's precision
	return &Service{config: config, store: &store{config.Queries}}, nil
}

// Create answers a task, once for each identity. A dry run makes the same checks and returns nil.
func (s *Service) Create(ctx context.Context, c *principal.Caller, r *Request) (*Answer, error) {
	p, err := r.plan()
	if err != nil {
		return nil, err
	}
	done, err := s.made(ctx, c, p)
	if done != nil || err != nil {
		return done, err
	}
	if err := s.checkFiles(ctx, c.TeamID, p.files); err != nil {
		return nil, err
	}
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // documented: the quote is the response
	}
	leave, err := principal.Enter(ctx, s.config.Places, "answers", overloadRetry)
	if err != nil {
		return nil, err
	}
	defer leave()
	j, err := s.claim(ctx, c, p)
	if err != nil {
		return nil, err
	}
	if j == nil { // it was finished meanwhile
		return s.made(ctx, c, p)
	}
	return s.run(ctx, c, p, j)
}

// made returns the answer that c's identity has paid for already; nil if none. It is called first, because a repeated
// answer needs neither its files nor a place.
func (s *Service) made(ctx context.Context, c *principal.Caller, p *plan) (*Answer, error) {
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // a dry run was not paid for
	}
	id, err := s.store.finished(ctx, c, p)
	switch {
	case errors.Is(err, errNotFound), errors.Is(err, errRunning):
		return nil, nil //nolint:nilnil // documented; claim knows which
	case err != nil:
		return nil, taken(err)
	}
	r, err := s.store.byID(ctx, id)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading %s again: %w", id, err))
	}
	c.SetCredits(r.credits)
	return s.full(ctx, r)
}

// taken is the problem for an identity that was used before.
func taken(err error) error {
	switch {
	case errors.Is(err, errRunning):
		return problem.Wrap(problem.InvalidState, "The same request is already in progress. Wait for its response, then try again.", err)
	case errors.Is(err, errTakenFor):
		return problem.Wrap(problem.InvalidState, "This payment or authorization was already used for a different request.", err)
	}
	return problem.Internal(err)
}

// claim claims the work; nil if it is done.
func (s *Service) claim(ctx context.Context, c *principal.Caller, p *plan) (*job, error) {
	now := s.config.Now()
	j, err := s.store.start(ctx, c, p, now, now.Add(s.config.Retention), s.staleBefore(now))
	if errors.Is(err, errDone) {
		return nil, nil //nolint:nilnil // documented
	}
	if err != nil {
		return nil, taken(err)
	}
	return j, nil
}

// staleBefore is the time before which an attempt must have started to be considered dead now.
func (s *Service) staleBefore(now time.Time) time.Time {
	return now.Add(-s.config.TimeLimit - storeTimeout - staleAfter)
}

// run does the work of j and records its end, even if the request is gone or the code panics: an attempt without an end
// blocks its identity until it counts as dead.
func (s *Service) run(ctx context.Context, c *principal.Caller, p *plan, j *job) (*Answer, error) {
	ended := false
	failed := func(code problem.Code) {
		ended = true
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		if err := s.store.fail(cleanup, j, code, s.config.Now()); err != nil {
			s.config.Logger.ErrorContext(ctx, "an answer could not be marked as failed", "answer", j.id, "error", err)
		}
	}
	defer func() {
		if !ended {
			failed(problem.InternalServerError)
		}
	}()
	found, truncated, err := s.work(ctx, c.TeamID, p)
	var r *record
	var made *content
	if err == nil {
		r, made, err = s.finish(ctx, c, p, j, found, truncated)
	}
	if err != nil {
		e := problem.From(err)
		failed(e.Code)
		return nil, e
	}
	ended = true
	return s.answer(r, made)
}

// work answers the task within the time limit. truncated says whether the limit was reached. The error is a problem.
func (s *Service) work(ctx context.Context, teamID string, p *plan) (found ask.Answer, truncated bool, err error) {
	limited, cancel := context.WithTimeout(ctx, s.config.TimeLimit)
	defer cancel()
	w := s.newWorld(limited, teamID, p.task)
	defer w.close()
	if w.given, err = s.readFiles(limited, w, p.files); err != nil {
		return ask.Answer{}, false, err
	}
	found, err = s.config.Answerer.Answer(limited, ask.Task{Text: p.task, Format: p.format, Now: s.config.Now()}, w)
	truncated = limited.Err() != nil
	switch {
	case ctx.Err() != nil: // the values are only those found until the request was cancelled
		return ask.Answer{}, false, problem.Wrap(problem.RequestTimeout, "The request was canceled before the answer was complete. Nothing was charged.", ctx.Err())
	case err != nil && truncated:
		return ask.Answer{}, false, problem.Wrap(problem.RequestTimeout, "Nothing was found within the time limit. Nothing was charged.", err)
	case err != nil:
		return ask.Answer{}, false, problem.From(err)
	case !json.Valid(found.JSON):
		return ask.Answer{}, false, problem.Internal(fmt.Errorf("the answer is not JSON: %.200q", found.JSON))
	}
	if err := w.failure(truncated); err != nil {
		return ask.Answer{}, false, err
	}
	return found, truncated, nil
}

// finish stores the answer. It is complete and charged by now, so a cancelled request does not undo it.
func (s *Service) finish(ctx context.Context, c *principal.Caller, p *plan, j *job, found ask.Answer, truncated bool) (*record, *content, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	made := &content{json: found.JSON, citations: make([]Citation, len(found.Citations))}
	for i, c := range found.Citations {
		made.citations[i] = Citation(c)
	}
	r := &record{
		id: j.id, teamID: c.TeamID, attempt: j.attempt, task: p.asked, metadata: p.metadata, credits: c.Credits,
		created: j.created, expires: j.expires,
	}
	if r.outcome.Truncated, r.outcome.Sources = truncated, found.Sources; found.Sources == nil {
		r.outcome.Sources = []string{}
	}
	if err := s.keep(ctx, r, made); err != nil {
		return nil, nil, problem.Internal(err)
	}
	err := s.store.finish(ctx, j, &r.outcome, c.Credits, s.config.Now())
	switch {
	case errors.Is(err, errRunning):
		return nil, nil, problem.Wrap(problem.RequestTimeout, "The answer took too long, and another attempt took over.", err)
	case err != nil:
		return nil, nil, problem.Internal(err)
	}
	return r, made, nil
}
