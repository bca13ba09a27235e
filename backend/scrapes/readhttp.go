package scrapes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
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
		return nil, fault(failure.Message(err))
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

// targetOf parses the target URL in the path of a GET of /v1/read/…: text is everything after the prefix, as it was
// sent, with the query. A URL may be written
//
//   - as it is, with its query: https://example.com/a?b=c. Its percent-encodings are its own;
//   - with one slash after the scheme, because proxies and clients may collapse two: https:/example.com/a;
//   - percent-encoded as a whole: https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc;
//   - in each of these forms without a scheme, which is https then.
//
// The errors say what is wrong with the form; fetch.ParseURL checks the resulting URL.
func targetOf(text string) (string, error) {
	path, query, hasQuery := strings.Cut(text, "?")
	if isEncodedWhole(path) {
		decoded, err := url.PathUnescape(path)
		if err != nil {
			return "", errors.New("is percent-encoded as a whole, but not validly")
		}
		if hasQuery && strings.Contains(decoded, "?") {
			return "", errors.New("has both a percent-encoded and a plain query: encode the whole URL or none of it")
		}
		path = decoded
	}
	target := path
	if hasQuery {
		target += "?" + query
	}
	switch {
	case len(target) > page.URLCharsMax:
		return "", errors.New("is longer than 8192 characters")
	case strings.Contains(target, "#"):
		return "", errors.New("has a fragment, which is never sent to a server: omit it, or write %23 for a literal #")
	}
	return withScheme(target)
}

// isEncodedWhole reports whether a colon or a slash is percent-encoded before the first plain slash. In a URL that is
// written as it is, that part is the scheme or the host, which contain neither.
func isEncodedWhole(path string) bool {
	head, _, _ := strings.Cut(path, "/")
	head = strings.ToLower(head)
	return strings.Contains(head, "%3a") || strings.Contains(head, "%2f")
}

var errScheme = errors.New("has an unsupported scheme: must be http or https")

// withScheme returns a URL with its scheme and two slashes.
func withScheme(target string) (string, error) {
	head, _, _ := strings.Cut(target, "/")
	head, _, _ = strings.Cut(head, "?")
	scheme, behind, hasColon := strings.Cut(head, ":")
	switch {
	case head == "":
		return "", errors.New("is missing: write it after /v1/read/, as in /v1/read/https://example.com/")
	case !hasColon:
		return "https://" + target, nil
	case behind == "" && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
		rest := strings.TrimLeft(target[len(head):], "/")
		if rest == "" || len(target) == len(head) {
			return "", errors.New("has no host")
		}
		return strings.ToLower(scheme) + "://" + rest, nil
	case strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"):
		return "", errors.New("has no slashes after its scheme: write http:// or https://")
	case strings.Trim(behind, "0123456789") != "" && !strings.HasPrefix(head, "["):
		return "", errScheme
	case behind == "" && len(target) > len(head) && !strings.Contains(scheme, "."):
		return "", errScheme // "ftp:/…", and no port
	}
	return "https://" + target, nil
}
