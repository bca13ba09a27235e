package firecrawl

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// extractRequest is the body of POST /v2/extract.
type extractRequest struct {
	URLs          []string         `json:"urls,omitempty"`
	Prompt        string           `json:"prompt,omitempty"`
	Schema        page.SchemaInput `json:"schema,omitempty"`
	ScrapeOptions *Options         `json:"scrapeOptions,omitempty"`
}

// scrape returns r as scrapes takes it: the JSON of one page.
func (r *extractRequest) scrape() (*scrapes.Request, error) {
	o := r.ScrapeOptions
	if o == nil {
		o = new(Options)
	}
	out, _, faults := o.page("scrapeOptions")
	if len(o.Formats) > 0 {
		faults = append(faults, fault("scrapeOptions.formats", "must be omitted: the result is JSON"))
	}
	if len(r.URLs) != 1 || strings.HasSuffix(r.URLs[0], "/*") {
		faults = append(faults, fault("urls", "must be one page: /v2/agent answers from several, and /v2/crawl with the format json reads a site"))
	}
	llm, err := extraction(r.Schema, r.Prompt)
	if err != nil {
		faults = append(faults, fault("schema", err.Error()))
	}
	if len(faults) > 0 {
		return nil, refuse(faults...)
	}
	out.Formats, out.LLMExtract = []page.Format{page.FormatJSON}, llm
	return checked(&scrapes.Request{URL: r.URLs[0], Options: out})
}

// data is a finished extraction or answer.
type data struct {
	done

	ID          string              `json:"id"`
	Status      string              `json:"status"`
	Data        json.RawMessage     `json:"data"`
	Sources     map[string][]string `json:"sources,omitempty"`
	CreditsUsed money.Credits       `json:"creditsUsed"`
	ExpiresAt   string              `json:"expiresAt"`
}

// dataOf returns a finished result. text is its JSON, nil if it is no longer kept or too large.
func dataOf(id string, text *string, credits money.Credits, created int64) *data {
	out := &data{
		done: ok(), ID: id, Status: "completed", Data: json.RawMessage("null"), CreditsUsed: credits,
		ExpiresAt: time.Unix(created, 0).Add(retention).UTC().Format(time.RFC3339),
	}
	if text != nil {
		out.Data = json.RawMessage(*text)
	} else {
		out.Warning = "The result has expired, or is too large for a response."
	}
	return out
}

func (s *Service) quoteExtract(ctx context.Context, body *edgewire.Body) (int64, error) {
	r, err := read[extractRequest](body)
	if err != nil {
		return 0, err
	}
	scrape, err := r.scrape()
	return s.priceOf(ctx, "/v1/scrapes", scrape, err)
}

func (s *Service) extract(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	r, err := body[extractRequest](ctx)
	if err != nil {
		return nil, err
	}
	asked, err := r.scrape()
	if err != nil {
		return nil, err
	}
	scrape, err := s.config.Scrapes.Create(ctx, c, asked)
	if err != nil || scrape == nil {
		return nil, err
	}
	return extracted(scrape), nil
}

func (s *Service) extractStatus(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	scrape, err := s.config.Scrapes.Scrape(ctx, c, r.id())
	if err != nil {
		return nil, err
	}
	return extracted(scrape), nil
}

// extracted returns the JSON of a scrape. All its fields have the same source.
func extracted(scrape *scrapes.Scrape) *data {
	out := dataOf(scrape.ID, scrape.Result.JSON, scrape.CreditsConsumed, scrape.Created)
	var fields map[string]json.RawMessage
	if json.Unmarshal(out.Data, &fields) == nil && fields != nil {
		out.Sources = map[string][]string{}
		for name := range fields {
			out.Sources[name] = []string{scrape.URL}
		}
	}
	return out
}

// agentRequest is the body of POST /v2/agent.
type agentRequest struct {
	Prompt     string           `json:"prompt"`
	URLs       []string         `json:"urls,omitempty"`
	Schema     page.SchemaInput `json:"schema,omitempty"`
	MaxCredits int64            `json:"maxCredits,omitempty"`
	Mode       string           `json:"mode,omitempty"`
}

// task returns r as answers takes it.
func (r *agentRequest) task() (*answers.Request, error) {
	task := r.Prompt
	if len(r.URLs) > 0 {
		task += "\n\n" + strings.Join(r.URLs, "\n")
	}
	return checked(&answers.Request{Task: task, Format: answers.FormatInput(r.Schema)})
}

func (s *Service) agent(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	r, err := body[agentRequest](ctx)
	if err != nil {
		return nil, err
	}
	task, err := r.task()
	if err != nil {
		return nil, err
	}
	if r.MaxCredits > 0 && r.MaxCredits < int64(c.Credits) {
		return nil, refuse(fault("maxCredits", fmt.Sprintf("must be at least %d, which an answer costs", c.Credits)))
	}
	answer, err := s.config.Answers.Create(ctx, c, task)
	if err != nil || answer == nil {
		return nil, err
	}
	return answered(answer), nil
}

func answered(a *answers.Answer) *data {
	return dataOf(a.ID, a.Result.JSON, a.CreditsConsumed, a.Created)
}

func (s *Service) agentStatus(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	answer, err := s.config.Answers.Answer(ctx, c, r.id())
	if err != nil {
		return nil, err
	}
	return answered(answer), nil
}

func (s *Service) cancelAgent(ctx context.Context, c *principal.Caller, r *request) (any, error) {
	if _, err := s.config.Answers.Answer(ctx, c, r.id()); err != nil {
		return nil, err
	}
	return notOver("completed")
}
