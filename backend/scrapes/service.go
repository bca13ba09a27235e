package scrapes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Fetcher fetches pages: a *fetch.Client.
type Fetcher interface {
	Check(u fetch.URL) error
	NewSession(country string) (*fetch.Session, error)
	// DialTarget connects to a target for a browser, with the same guard and proxy.
	DialTarget(ctx context.Context, session *fetch.Session, hostPort string) (net.Conn, error)
	// EnterTarget waits for the host limits, as a fetch does.
	EnterTarget(ctx context.Context, hostPort string) (leave func(statusCode int, header http.Header), err error)
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Copies fetches pages of a team through its HTTP cache: a *copies.Keeper.
type Copies interface {
	Get(ctx context.Context, teamID string, r fetch.Request) (*fetch.Response, error)
}

// Blobs stores content: a *blob.Store.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	Copy(ctx context.Context, to, from string) error
	Open(ctx context.Context, key string) (*blob.Object, error)
	// DeleteAll deletes all objects whose keys begin with the segments.
	DeleteAll(ctx context.Context, segments string) error
}

// URLSigner makes hosted URLs: a *blob.Signer.
type URLSigner interface {
	URL(key, name, contentType string, ttl time.Duration) (string, error)
}

// Book knows what operations cost: a *price.Book.
type Book interface {
	Quote(ctx context.Context, r *price.Request, unit edgewire.Unit) (price.Quote, error)
}

const (
	// TimeoutDefault is how long a scrape may take, without the waits that it asks for.
	TimeoutDefault = 60 * time.Second
	// TimeLimitMax is how long one may take with all the waits that a request may ask for.
	TimeLimitMax = TimeoutDefault + waitsMax
	// RetentionDefault is how long content is kept.
	RetentionDefault = 7 * 24 * time.Hour
	// InlineBytesMaxDefault is how much content a response inlines, in bytes.
	InlineBytesMaxDefault = 6_000_000
	// PlacesDefault is how many scrapes one process runs at once.
	PlacesDefault = 128

	// cleanupTimeout is for storing how a scrape ended after its request has ended.
	cleanupTimeout = 5 * time.Second
	// staleAfter is how long after its time limit an unfinished scrape is taken for dead.
	staleAfter = time.Minute
)

// Config configures a Service.
type Config struct {
	Queries *db.Queries `required:"true"`
	Fetcher Fetcher     `required:"true"`
	Copies  Copies      // nil: none, and pages are fetched whole each time
	Blobs   Blobs       `required:"true"`
	Book    Book        `required:"true"`
	Signer  URLSigner   `required:"true"`

	Renderer  Renderer  // nil: no browser
	Parsers   Parsers   // nil: none
	Extractor Extractor // nil: none, and no llm_extract

	// Timeout is the limit of one scrape, without the waits that it asks for. Default [TimeoutDefault].
	Timeout time.Duration
	// Retention is how long content is kept. Default [RetentionDefault].
	Retention time.Duration
	// InlineBytesMax is how much content a response inlines, in bytes. Default [InlineBytesMaxDefault].
	InlineBytesMax int64
	// Places are the slots for running scrapes. Default: [PlacesDefault], without waiting.
	Places *admission.Pool
	// Memory is the memory budget for pages, shared with other users of it.
	Memory *membudget.Budget `required:"true"`

	// Shareable reports that all fetched pages are on the public internet: no private ranges are allowed, and no
	// archive is replayed. Without it no other team can find a page, whatever the operator shares.
	Shareable bool

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

// Service implements the operations on scrapes.
type Service struct {
	config Config
	store  *store
	engine *Engine
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
	if config.Timeout < 0 || config.Retention < 0 || config.InlineBytesMax < 0 {
		errs = append(errs, errors.New("limits must not be negative"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("scrapes: %w", err)
	}
	config.Timeout = cmp.Or(config.Timeout, TimeoutDefault)
	config.Retention = cmp.Or(config.Retention, RetentionDefault)
	config.InlineBytesMax = cmp.Or(config.InlineBytesMax, InlineBytesMaxDefault)
	if config.Places == nil {
		config.Places = admission.New(admission.Config{Size: PlacesDefault})
	}
	engine := &Engine{config: config}
	return &Service{config: config, store: &store{config.Queries}, engine: engine}, nil
}

// Engine returns the engine, for the pages of other features.
func (s *Service) Engine() *Engine { return s.engine }

// Page is [Engine.Page].
func (s *Service) Page(ctx context.Context, teamID, address string, hold *membudget.Hold) (extract.Source, error) {
	return s.engine.Page(ctx, teamID, address, hold)
}

// Create makes the scrape of request, once for each identity, and returns it. A dry run is checked like any other
// request and returns nil.
func (s *Service) Create(ctx context.Context, c *principal.Caller, request *Request) (*Scrape, error) {
	p, err := request.plan()
	if err != nil {
		return nil, err
	}
	if p.task != nil {
		p.task.Wallet = c.Kind == edgewire.PayerWallet
	}
	if err := s.engine.prepare(ctx, c.TeamID, p); err != nil {
		return nil, err
	}
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // documented: the quote is the answer
	}
	if p.copyKey, err = request.copyKey(p); err != nil {
		return nil, problem.Internal(err)
	}
	leave, err := s.engine.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	j, doneID, err := s.claim(ctx, c, p, request)
	switch {
	case err != nil:
		return nil, err
	case doneID != "":
		done, err := s.read(ctx, doneID)
		if err == nil {
			c.SetCredits(done.CreditsConsumed)
		}
		return done, err
	}
	return s.run(ctx, c, p, j)
}

// claim claims the work, or returns the id of the scrape that has done it before.
func (s *Service) claim(ctx context.Context, c *principal.Caller, p *plan, request *Request) (*job, string, error) {
	canonical, err := json.Marshal(request)
	if err != nil {
		return nil, "", problem.Internal(fmt.Errorf("writing request: %w", err))
	}
	now := s.config.Now()
	j, doneID, err := s.store.start(ctx, &claim{
		caller: c, plan: p, request: canonical, requestSHA256: sha256.Sum256(canonical), now: now,
		expires: now.Add(s.config.Retention), staleBefore: s.staleBefore(now),
	})
	switch {
	case errors.Is(err, errRunning):
		return nil, "", problem.Wrap(problem.InvalidState, "The same request is already in progress. Wait for its response, then try again.", err)
	case errors.Is(err, errTakenFor):
		return nil, "", problem.Wrap(problem.InvalidState, "This payment or authorization was already used for a different request.", err)
	case err != nil:
		return nil, "", problem.Internal(err)
	}
	return j, doneID, nil
}

// staleBefore returns the start time before which an unfinished attempt is taken for dead now.
func (s *Service) staleBefore(now time.Time) time.Time {
	return now.Add(-s.config.Timeout - waitsMax - staleAfter)
}

// run does the work of j and stores how it ended, even if the request has ended or the code panics: an attempt without
// an end blocks its identity until it is taken for dead.
func (s *Service) run(ctx context.Context, c *principal.Caller, p *plan, j *job) (*Scrape, error) {
	ended := false
	failed := func(code problem.Code) {
		ended = true
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		if err := s.store.fail(cleanup, j, code, s.config.Now()); err != nil {
			s.config.Logger.ErrorContext(ctx, "a scrape could not be marked as failed", "scrape", j.id, "error", err)
		}
	}
	defer func() {
		if !ended {
			failed(problem.InternalServerError)
		}
	}()
	p.hold = s.config.Memory.Hold()
	defer p.hold.Release()
	o, content := s.copied(ctx, c.TeamID, p, j)
	var err error
	if o == nil {
		o, content, err = s.engine.work(ctx, c.TeamID, p, j.retrieveID, j.attempt)
	}
	if err == nil {
		err = s.finish(ctx, c, p, j, o)
	}
	if err != nil {
		e := problem.From(err)
		failed(e.Code)
		return nil, e
	}
	ended = true
	r := &record{
		stored: stored{retrieveID: j.retrieveID, teamID: c.TeamID, outcome: *o, expires: j.expires},
		id:     j.id, url: p.url.String(), metadata: p.metadata, credits: c.Credits, created: j.created,
	}
	return s.answer(r, content)
}

// copied returns the outcome of an earlier scrape as that of j, with its content, if it is young enough for p. Nil: there is
// none, or it could not be copied, so that the page has to be fetched.
func (s *Service) copied(ctx context.Context, teamID string, p *plan, j *job) (*outcome, *content) {
	if p.maxAge == 0 {
		return nil, nil
	}
	now := s.config.Now()
	from, fetched, err := s.store.copyOf(ctx, teamID, p.copyKey, now.Add(-p.maxAge), now)
	if errors.Is(err, errNotFound) {
		return nil, nil
	}
	o := from.outcome
	o.Attempt, o.Search = j.attempt, nil // search finds the page that was copied
	o.Age = max(1, int64(math.Ceil(now.Sub(fetched).Seconds())))
	if err == nil {
		err = s.copyContent(ctx, from, &stored{retrieveID: j.retrieveID, outcome: o})
	}
	var made *content
	if err == nil {
		made, err = s.load(ctx, from, o.formats(), true)
	}
	if err != nil {
		s.config.Logger.WarnContext(ctx, "an earlier scrape could not be copied", "scrape", j.id, "error", err)
		return nil, nil
	}
	return &o, made
}

// finish makes the scrape valid. From here on the work is done and charged, so the end of the request must not undo it.
func (s *Service) finish(ctx context.Context, c *principal.Caller, p *plan, j *job, o *outcome) error {
	var key []byte
	if o.canBeCopied() {
		key = p.copyKey
	}
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	err := s.store.finish(writing, j, o, key, c.Credits, s.config.Now())
	if errors.Is(err, errRunning) {
		return problem.Wrap(problem.RequestTimeout, "The scrape took too long, and another attempt took over.", err)
	}
	if err != nil {
		return problem.Internal(err)
	}
	return nil
}
