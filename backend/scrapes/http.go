package scrapes

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/page"
)

const (
	tag = "Scrapes"
	// scrapesPath is also the path for pricing a page.
	scrapesPath = "/v1/scrapes"
)

type createInput struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"Whether to only check the request and return its price, without doing or charging anything."`
	Body   decode.Body[Request]
}

type createOutput struct{ Body principal.Priced[Scrape] }

type getInput struct {
	ID string `path:"scrape_id" maxLength:"100" doc:"The scrape's id."`
}

type getOutput struct{ Body *Scrape }

type retrieveInput struct {
	RetrieveID string `query:"retrieve_id" required:"true" maxLength:"100" doc:"The retrieve_id of a resource."`

	formats []page.Format
}

type retrieveOutput struct{ Body *Retrieved }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "createScrape", Method: http.MethodPost, Path: scrapesPath, Tags: []string{tag},
		Summary: "Scrape a page",
		Description: "Fetches one page and returns its content. A page that returns 404 or 500 is a scrape like any other, with that status_code. " +
			"If the page cannot be fetched, the request fails and nothing is charged. The time limit is 60 seconds, plus the requested waits.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{"url_to_scrape": "https://example.com/", "formats": []string{"markdown"}},
		}}},
		Errors: []int{400, 401, 402, 403, 409, 413, 501, 502, 503, 504},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "getScrape", Method: http.MethodGet, Path: "/v1/scrapes/{scrape_id}", Tags: []string{tag},
		Summary:     "Read a scrape",
		Description: "The content is available for seven days. After that, its fields are null.",
		Metadata:    principal.Readable.Metadata(),
		Errors:      []int{400, 401, 404},
	}, s.get)
	huma.Register(api, huma.Operation{
		OperationID: "retrieveContent", Method: http.MethodGet, Path: "/v1/retrieve", Tags: []string{tag},
		Summary:     "Read content by its retrieve_id",
		Description: "Returns the stored content of a page: of a scrape, or of an item of a batch. Formats that are not stored are null. The content is available for seven days.",
		Metadata:    principal.Readable.Metadata(),
		Parameters: []*huma.Param{{
			Name: "formats", In: "query", Explode: new(true),
			Description: "The formats to return: html, markdown, text or json. Repeat the parameter or separate values with commas. " +
				"Default: everything that is stored, including files and links.",
			Schema: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{
				Type: huma.TypeString, Enum: []any{string(page.FormatHTML), string(page.FormatMarkdown), string(page.FormatText), string(page.FormatJSON)},
			}},
		}},
		Errors: []int{400, 401, 404},
	}, s.retrieve)
	s.registerRead(api)
}

func (s *Service) create(ctx context.Context, in *createInput) (*createOutput, error) {
	c := principal.From(ctx)
	scrape, err := s.Create(ctx, c, in.Body.Value)
	if err != nil {
		return nil, err
	}
	return &createOutput{principal.Priced[Scrape]{Result: scrape, Quote: c.DryRun}}, nil
}

func (s *Service) get(ctx context.Context, in *getInput) (*getOutput, error) {
	scrape, err := s.Scrape(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &getOutput{scrape}, nil
}

func (s *Service) retrieve(ctx context.Context, in *retrieveInput) (*retrieveOutput, error) {
	retrieved, err := s.Retrieve(ctx, principal.From(ctx), in.RetrieveID, in.formats)
	if err != nil {
		return nil, err
	}
	return &retrieveOutput{retrieved}, nil
}

// Resolve reads formats, which may be repeated and may contain commas: Huma supports only one or the other.
func (in *retrieveInput) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	var errs []error
	for _, value := range u.Query()["formats"] {
		for name := range strings.SplitSeq(value, ",") {
			format := page.Format(strings.TrimSpace(name))
			if !slices.Contains([]page.Format{page.FormatHTML, page.FormatMarkdown, page.FormatText, page.FormatJSON}, format) {
				errs = append(errs, &huma.ErrorDetail{Location: "query.formats", Message: fmt.Sprintf(
					"expected html, markdown, text or json, got %.40q", name)})
				continue
			}
			in.formats = append(in.formats, format)
		}
	}
	return errs
}
