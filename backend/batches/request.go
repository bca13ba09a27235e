package batches

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Request is the body of POST /v1/batches.
type Request struct {
	Items       ItemsInput       `json:"items,omitempty" decode:"raw"`
	FileID      string           `json:"file_id,omitempty" maxLength:"200" doc:"The id of a completed file with the purpose batch, which contains a JSON list of items. Use it instead of items. Only for subscribers."`
	Formats     []page.Format    `json:"formats,omitempty" minItems:"1" maxItems:"6" uniqueItems:"true" nullable:"false" doc:"The formats to store of each page. Default: html and markdown. parser implies json."`
	Parser      page.ParserInput `json:"parser,omitempty"`
	Country     string           `json:"country,omitempty" doc:"The country to fetch from: a two-letter ISO 3166-1 code, such as DE, or RANDOM. Requires a proxy provider."`
	LinksOnPage *page.LinksInput `json:"links_on_page,omitempty" doc:"Also stores the links of each page."`
	Metadata    metadata.Input   `json:"metadata,omitempty"`
	Webhook     string           `json:"webhook,omitempty" maxLength:"2048" doc:"A publicly reachable http or https URL that receives a POST request when the batch is completed."`
	WebhookURL  string           `json:"webhook_url,omitempty" maxLength:"2048" doc:"Another name for webhook."`

	// Pages are the options of pages for code of this service, which is not limited to those above. Nil: those.
	Pages *page.Options `json:"-"`
}

// ItemsInput is items as sent: they are read one by one.
type ItemsInput []byte

// UnmarshalJSON keeps what was sent; null is nothing.
func (l *ItemsInput) UnmarshalJSON(data []byte) error {
	*l = nil
	if string(data) != "null" {
		*l = append([]byte(nil), data...)
	}
	return nil
}

// MarshalJSON writes what was sent.
func (l ItemsInput) MarshalJSON() ([]byte, error) {
	if len(l) == 0 {
		return []byte("null"), nil
	}
	return l, nil
}

// Schema documents the items but leaves the check to this package: all of ten thousand items may be wrong, and the
// response then names only the first few.
func (ItemsInput) Schema(huma.Registry) *huma.Schema {
	text := func(doc string, charactersMax int) map[string]any {
		return map[string]any{"type": "string", "description": doc, "minLength": 1, "maxLength": charactersMax}
	}
	return &huma.Schema{
		Description: "The pages to fetch, in the order in which they are started.",
		Extensions: map[string]any{
			"type": "array", "minItems": 1, "maxItems": ItemsMax,
			"items": map[string]any{
				"type": "object", "required": []string{"url"}, "additionalProperties": false,
				"properties": map[string]any{
					"custom_id": text("Your own id for the item, unique within the batch. Items without one are numbered from 1.", customIDCharactersMax),
					"url":       text("The URL of the page: an absolute http or https URL.", page.URLCharsMax),
					"metadata": map[string]any{
						"type": "object", "additionalProperties": true,
						"description": "The metadata of the item, which is returned with it. The rules are those of the batch's metadata.",
					},
				},
			},
		},
	}
}

// plan is a checked request.
type plan struct {
	items    *list
	options  page.Options
	metadata map[string]string
	webhook  string
	request  [sha256.Size]byte // hash of the request, to distinguish it from others
}

// options are the options for the pages.
func (r *Request) options() page.Options {
	if r.Pages != nil {
		return *r.Pages
	}
	return page.Options{Formats: r.Formats, Parser: r.Parser, Country: r.Country, LinksOnPage: r.LinksOnPage}
}

// sum returns a hash of r. Items are hashed as they are written, because encoding them again would take longer than all else.
func (r *Request) sum() (sum [sha256.Size]byte, err error) {
	rest := *r
	rest.Items = nil
	text, err := json.Marshal(&rest)
	if err == nil && r.Pages != nil {
		text, err = json.Marshal([]any{&rest, r.Pages})
	}
	if err != nil {
		return sum, err
	}
	hash := sha256.New()
	_, _ = hash.Write(text) // it ends where its first bracket is closed
	_, _ = hash.Write(r.Items)
	return [sha256.Size]byte(hash.Sum(nil)), nil
}

// source returns the source of the items of r.
func (s *Service) source(teamID string, unit edgewire.Unit, r *Request) (*source, error) {
	fault := func(msg string) error { return problem.Validation(problem.BodyFault("file_id", msg)) }
	switch inBody, inFile := len(r.Items) > 0, r.FileID != ""; {
	case inBody && inFile:
		return nil, fault("cannot be combined with items")
	case !inBody && !inFile:
		return nil, problem.Validation(problem.Fault{
			Loc: []any{"body", "items"}, Msg: "is required, unless file_id names a file that lists them", Type: problem.FaultMissing,
		})
	case inBody:
		return inline(r.Items), nil
	case unit == edgewire.UnitUSDC:
		return nil, fault("is only available to subscribers: send items")
	case s.config.Files == nil:
		return nil, problem.New(problem.ProviderNotConfigured, "This installation does not store files: send items.")
	}
	return s.fromFile(teamID, r.FileID), nil
}

// plan checks all of r, and reads its items once. The error is a problem.
func (s *Service) plan(ctx context.Context, teamID string, unit edgewire.Unit, r *Request) (*plan, error) {
	from, err := s.source(teamID, unit, r)
	if err != nil {
		return nil, err
	}
	p := &plan{options: r.options()}
	if p.metadata, err = metadata.Parse(r.Metadata); err != nil {
		return nil, err
	}
	if p.webhook, err = outbox.Recipient(r.Webhook, r.WebhookURL, s.config.Webhooks); err != nil {
		return nil, err
	}
	if p.request, err = r.sum(); err != nil {
		return nil, problem.Internal(fmt.Errorf("writing the request: %w", err))
	}
	if p.items, err = s.judge(ctx, teamID, p, from); err != nil {
		return nil, problem.From(err)
	}
	return p, nil
}

// judge checks the items and page options of a request. Items in a body depend only on the request, so they are read
// once for its quote, the check of its charge, and its creation. The rest is checked each time.
func (s *Service) judge(ctx context.Context, teamID string, p *plan, from *source) (*list, error) {
	check := func(first int, urls []string) error {
		err := s.config.Pages.Check(ctx, teamID, p.options, urls)
		return bounded(page.AtURLs(err, func(i int) []any { return from.loc(first+i, "url") }))
	}
	if n, known := s.judged.GetIfPresent(p.request); known {
		return &list{from: from, count: n}, check(0, nil)
	}
	items, err := readItems(ctx, from, check)
	if err == nil && from.checked {
		s.judged.Set(p.request, items.count)
	}
	return items, err
}

// bounded returns a problem with the first few of its faults.
func bounded(err error) error {
	if err == nil {
		return nil
	}
	e := problem.From(err)
	faults, _ := e.Metadata["errors"].([]problem.Fault)
	if len(faults) <= faultsMax {
		return e
	}
	few := problem.Validation(faults[:faultsMax]...)
	e.Metadata["errors"] = faults[:faultsMax]
	if e.Code == few.Code {
		e.Detail = few.Detail
	}
	return e
}

// itemsProblem returns invalid_metadata if only metadata is wrong.
func itemsProblem(faults []problem.Fault) error {
	e := problem.Validation(faults...)
	for _, f := range faults {
		if !slices.Contains(f.Loc, any("metadata")) {
			return e
		}
	}
	e.Code = problem.InvalidMetadata
	return e
}
