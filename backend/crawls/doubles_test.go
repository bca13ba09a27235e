package crawls_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	robotstxt "github.com/turnpike-edge/turnpike/backend/page/fetch/robots"
	"github.com/turnpike-edge/turnpike/backend/page/warc"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// pages is a double of the page service. The test sets its replies.
type pages struct {
	price money.Credits // of each; 0: 1
	keep  func(ctx context.Context, j *page.Job) (page.Kept, error)

	mu        sync.Mutex
	discarded []string
}

func (p *pages) Check(_ context.Context, _ string, options page.Options, urls []string) error {
	var faults []problem.Fault
	if options.Render == page.RenderNever && slices.Contains(options.Formats, page.FormatScreenshot) {
		faults = append(faults, problem.BodyFault("render", "must not be never with screenshot"))
	}
	for i, text := range urls {
		if _, err := fetch.ParseURL(text); err != nil {
			faults = append(faults, page.URLFault(i, errors.Unwrap(err).Error()))
		}
	}
	if len(faults) > 0 {
		return problem.Validation(faults...)
	}
	return nil
}

func (p *pages) Price(context.Context, string, page.Options) (money.Credits, error) {
	return max(p.price, 1), nil
}

func (p *pages) Keep(ctx context.Context, j page.Job) (page.Kept, error) { return p.keep(ctx, &j) }

func (p *pages) Discard(_ context.Context, retrieveID string, attempts int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.discarded = append(p.discarded, fmt.Sprintf("%s %d", retrieveID, attempts))
	return nil
}

// WriteRecord writes a record for first attempts only; its URL ends with the retrieve_id.
func (p *pages) WriteRecord(_ context.Context, w io.Writer, retrieveID string, attempt int) error {
	if attempt != 1 {
		return page.ErrNoRecord
	}
	return warc.NewWriter(w).Metadata(time.Unix(0, 0), "https://example.com/"+retrieveID, nil)
}

// kept is a page with links.
func kept(j *page.Job, links ...string) page.Kept {
	k := page.Kept{
		RetrieveID: j.RetrieveID, Attempts: j.Attempt, StatusCode: 200, Outcome: json.RawMessage(`{}`), Expires: j.Expires, FinalURL: j.URL,
	}
	for _, url := range links {
		k.Links = append(k.Links, page.Link{URL: url})
	}
	return k
}

func failure(class page.Class, code problem.Code) error {
	return &page.Error{Class: class, Problem: problem.New(code, "It failed. Nothing was charged.")}
}

// robots is a double that disallows /private and cannot fetch the rules for /shut.
type robots struct{}

func (*robots) Allowed(_ context.Context, url string) (bool, error) {
	if strings.Contains(url, "/shut") {
		return false, &robotstxt.UnreachableError{Since: time.Now().Add(-11 * time.Minute)}
	}
	return !strings.Contains(url, "/private"), nil
}

type hooks struct{}

func (hooks) Check(rawURL string) error {
	if strings.Contains(rawURL, "localhost") {
		return errors.New("must be publicly reachable")
	}
	return nil
}

func (hooks) Secret(context.Context, string) (string, error) { return "whsec_test", nil }
