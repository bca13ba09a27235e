package firecrawl

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// formatsKey is the key of a job's metadata that keeps which outputs its documents have.
const formatsKey = "firecrawl_formats"

// note returns the metadata of a job whose documents have w.
func (w wants) note() metadata.Input {
	text, _ := json.Marshal(strings.Join(w, " ")) // a string cannot fail
	return metadata.Input{formatsKey: text}
}

// wantsOf returns what note has stored. A job that was not made here has markdown and HTML.
func wantsOf(metadata map[string]string) wants {
	if text, ok := metadata[formatsKey]; ok {
		return strings.Fields(text)
	}
	return wants{"markdown", "html", "json", "links", "screenshot"}
}

// retention is how long the content of jobs is kept.
const retention = 7 * 24 * time.Hour

// started is the response to the creation of a job.
type started struct {
	done

	ID          string   `json:"id"`
	URL         string   `json:"url"`
	Limit       int64    `json:"limit,omitempty"`
	InvalidURLs []string `json:"invalidURLs,omitempty"`
}

// status is a job so far, with some of its documents.
type status struct {
	done

	Status      string        `json:"status"`
	Completed   int32         `json:"completed"`
	Total       int32         `json:"total"`
	CreditsUsed money.Credits `json:"creditsUsed"`
	ExpiresAt   string        `json:"expiresAt"`
	// Next is the address of further documents, null unless there are any now.
	Next *string     `json:"next"`
	Data []*document `json:"data"`
}

// statusOf is the status of a job with an outcome, which is nil while it runs.
func statusOf(outcome *string) string {
	switch {
	case outcome == nil:
		return "scraping"
	case *outcome == "canceled":
		return "cancelled"
	case *outcome == "failed":
		return "failed"
	}
	return "completed"
}

// cancelled is the response to the cancellation of a job.
type cancelled struct {
	done

	Status string `json:"status"`
}

// jobErrors are the pages of a job that failed.
type jobErrors struct {
	done

	Errors        []pageError `json:"errors"`
	RobotsBlocked []string    `json:"robotsBlocked"`
}

type pageError struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Code  string `json:"code"`
	Error string `json:"error"`
}

func (e *jobErrors) add(id, url, code, text string) {
	if code == string(problem.RobotsDisallowed) {
		e.RobotsBlocked = append(e.RobotsBlocked, url)
		return
	}
	e.Errors = append(e.Errors, pageError{ID: id, URL: url, Code: code, Error: text})
}

// address returns the address of a path of this service for clients.
func (s *Service) address(path string, id string) string {
	return strings.TrimSuffix(s.config.PublicURL, "/") + path + url.PathEscape(id)
}

// number returns a number of the query, which is fallback if it is missing.
func (r *request) number(name string, fallback, most int32) (int32, error) {
	text := r.huma.Query(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > int64(most) {
		return 0, problem.Validation(problem.Fault{
			Loc: []any{"query", name}, Msg: fmt.Sprintf("must be a whole number from 0 to %d", most), Type: problem.FaultInvalid,
		})
	}
	return int32(n), nil
}

// place returns from which place on documents are requested. next has it as skip.
func (r *request) place() (int32, error) { return r.number("skip", 0, math.MaxInt32) }

// webhook is where to send events of a job.
type webhook struct {
	URL    string   `json:"url"`
	Events []string `json:"events"`
}

// address returns where to send the event of a job's end, which is the only one. A client that does not ask for that event
// alone would wait for others.
func (w *webhook) address(event string) (string, []problem.Fault) {
	if w == nil || w.URL == "" {
		return "", nil
	}
	if len(w.Events) != 1 || w.Events[0] != event {
		return "", []problem.Fault{fault("webhook", fmt.Sprintf(
			`must be an object with events: [%q]: the event of the end is the only one, in the form of docs/webhooks.md`, event))}
	}
	return w.URL, nil
}

// jobPage returns the options of pages that are read in the background.
func (o *Options) jobPage(at string) (page.Options, wants, []problem.Fault) {
	if o == nil {
		o = new(Options)
	}
	out, w, faults := o.page(at)
	if o.Timeout > 0 && o.Timeout < timeLimitMs {
		faults = append(faults, fault(at+".timeout", fmt.Sprintf("must be at least %d: a page in the background has that time", timeLimitMs)))
	}
	if _, err := checked(&scrapes.Request{URL: "https://example.com/", Options: out}); err != nil && len(faults) == 0 {
		faults, _ = problem.From(err).Metadata["errors"].([]problem.Fault)
	}
	return out, w, faults
}
