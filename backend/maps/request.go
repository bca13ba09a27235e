package maps

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
)

// Request is the body of POST /v1/maps.
type Request struct {
	URL              string   `json:"url" minLength:"1" maxLength:"8192" doc:"The site: any page of it, or one of its sitemaps, as an absolute http or https URL." example:"https://example.com/"`
	SearchQuery      string   `json:"search_query,omitempty" maxLength:"4000" doc:"A query by which the URLs are ordered by relevance."`
	TopN             *int     `json:"top_n,omitempty" minimum:"1" maximum:"100000" doc:"The number of URLs to return: the most relevant to search_query, otherwise the first in alphabetical order."`
	IncludeSubdomain *bool    `json:"include_subdomain,omitempty" default:"true" doc:"Whether other hosts of the same registrable domain belong to the site."`
	IncludeURLs      []string `json:"include_urls,omitempty" maxItems:"100" nullable:"false" doc:"Globs of the URLs to include, such as /blog/**. Default: all."`
	ExcludeURLs      []string `json:"exclude_urls,omitempty" maxItems:"100" nullable:"false" doc:"Globs of the URLs to exclude. Exclusion takes precedence."`
	Cursor           string   `json:"cursor,omitempty" maxLength:"200" doc:"The cursor from the previous response. All other fields must be unchanged."`
}

// plan is a validated request.
type plan struct {
	url        fetch.URL
	query      string
	topN       int // 0: all
	subdomains bool
	globs      glob.Set
	cursor     *position // nil: a new map
	gate       Gate

	canonical []byte // the request without its cursor
	sha256    [sha256.Size]byte
}

// plan validates r completely. The error is a problem.
func (s *Service) plan(r *Request) (*plan, error) {
	p := &plan{query: strings.TrimSpace(r.SearchQuery), subdomains: r.IncludeSubdomain == nil || *r.IncludeSubdomain}
	var err error
	var faults []problem.Fault
	if p.url, err = fetch.ParseURL(r.URL); err != nil {
		faults = append(faults, problem.BodyFault("url", innermost(err)))
	}
	if r.TopN != nil {
		if p.topN = *r.TopN; p.topN < 1 || p.topN > PageURLsMax {
			faults = append(faults, problem.BodyFault("top_n", fmt.Sprintf("must be from 1 to %d", PageURLsMax)))
		}
	}
	var fault []problem.Fault
	p.globs.Include, fault = glob.Compile(r.IncludeURLs, "body", "include_urls")
	faults = append(faults, fault...)
	p.globs.Exclude, fault = glob.Compile(r.ExcludeURLs, "body", "exclude_urls")
	faults = append(faults, fault...)
	if r.Cursor != "" {
		if p.cursor, err = parsePosition(r.Cursor); err != nil {
			faults = append(faults, problem.BodyFault("cursor", err.Error()))
		}
	}
	if len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	if err := s.config.Fetcher.Check(p.url); err != nil {
		return nil, startProblem(err)
	}
	same := *r
	same.Cursor = ""
	if p.canonical, err = json.Marshal(&same); err != nil {
		return nil, problem.Internal(fmt.Errorf("writing the request: %w", err))
	}
	p.sha256 = sha256.Sum256(p.canonical)
	return p, nil
}

// innermost returns the cause of a failed fetch, without the URL.
func innermost(err error) string {
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
