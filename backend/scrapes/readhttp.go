package scrapes

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

const markdownType = "text/markdown; charset=utf-8"

type readInput struct {
	URL string `path:"url" doc:"The URL of the page: as it is, with its query, or percent-encoded as a whole. Without a scheme, https is used." example:"example.com/"`

	method string
}

type readOutput struct {
	ContentType  string `header:"Content-Type"`
	ScrapeID     string `header:"X-Scrape-Id" doc:"The id of the scrape, to read it with GET /v1/scrapes/{id}."`
	TargetStatus int    `header:"X-Target-Status" doc:"The HTTP status that the target returned."`
	Consumed     int64  `header:"X-Credits-Consumed" doc:"The cost of the scrape in credits; 0 if it was paid in USDC."`
	Body         []byte
}

// registerRead adds the scrape for people: a page as markdown by a GET.
func (s *Service) registerRead(api huma.API) {
	op := huma.Operation{
		OperationID: "readPage", Method: http.MethodGet, Path: "/v1/read/{url}", Tags: []string{tag},
		Summary: "Read a page as markdown",
		Description: "Scrapes the URL that follows /v1/read/, with its query: /v1/read/https://example.com/a?b=c. The response is the page's markdown and " +
			"nothing else. The request is a scrape and costs the same. X-Scrape-Id is the id of the scrape.",
		Metadata: principal.Keyed.Metadata(principal.TargetInPath),
		Responses: map[string]*huma.Response{"200": {
			Description: "OK", Content: map[string]*huma.MediaType{"text/markdown": {Schema: &huma.Schema{Type: huma.TypeString}}},
		}},
		Errors: []int{400, 401, 402, 403, 409, 502, 503, 504},
	}
	huma.Register(api, op, s.readPage)
}

// Resolve keeps the method, because a HEAD has the same route.
func (in *readInput) Resolve(ctx huma.Context) []error {
	in.method = ctx.Method()
	return nil
}

func (s *Service) readPage(ctx context.Context, in *readInput) (*readOutput, error) {
	fault := func(msg string) error {
		return problem.Validation(problem.Fault{Loc: []any{"path", "url"}, Msg: msg, Type: problem.FaultInvalid})
	}
	if in.method == http.MethodHead {
		return nil, fault("must be read with GET: a HEAD request would be charged and return no content")
	}
	target, err := targetOf(in.URL)
	if err != nil {
		return nil, fault(err.Error())
	}
	if _, err := fetch.ParseURL(target); err != nil {
		return nil, fault(innermost(err))
	}
	scrape, err := s.Create(ctx, principal.From(ctx), &Request{URL: target, Options: page.Options{Formats: []page.Format{page.FormatMarkdown}}})
	if err != nil {
		return nil, err
	}
	markdown, err := s.markdown(ctx, scrape)
	if err != nil {
		return nil, err
	}
	return &readOutput{
		ContentType: markdownType, ScrapeID: scrape.ID, TargetStatus: scrape.Result.PageMetadata.StatusCode,
		Consumed: int64(scrape.CreditsConsumed), Body: markdown,
	}, nil
}

// markdown returns the markdown of a scrape, even if it is too large to be inlined.
func (s *Service) markdown(ctx context.Context, scrape *Scrape) ([]byte, error) {
	if scrape.Result.Markdown != nil {
		return []byte(*scrape.Result.Markdown), nil
	}
	r, err := s.store.byID(ctx, scrape.ID)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading %s again: %w", scrape.ID, err))
	}
	if !s.config.Now().Before(r.expires) {
		return nil, problem.New(problem.NotFound, "This content has expired. Read the page again.")
	}
	name, _ := fileOf(page.FormatMarkdown)
	data, err := s.config.Blobs.Read(ctx, contentKey(r.retrieveID, r.outcome.Attempt, name))
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading the markdown of %s: %w", scrape.ID, err))
	}
	return data, nil
}
