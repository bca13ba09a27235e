package firecrawl

import (
	"context"
	"fmt"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/maps"
)

// mapLimitDefault is how many URLs a map has if the request does not say.
const mapLimitDefault = 5000

// mapRequest is the body of POST /v2/map.
type mapRequest struct {
	URL                   string `json:"url"`
	Search                string `json:"search,omitempty"`
	Sitemap               string `json:"sitemap,omitempty"`
	IncludeSubdomains     *bool  `json:"includeSubdomains,omitempty"`
	IgnoreQueryParameters *bool  `json:"ignoreQueryParameters,omitempty"`
	Limit                 int    `json:"limit,omitempty"`
	Timeout               int64  `json:"timeout,omitempty"`
}

// site returns r as maps takes it.
func (r *mapRequest) site() (*maps.Request, error) {
	out := &maps.Request{URL: r.URL, SearchQuery: r.Search, TopN: new(mapLimitDefault), IncludeSubdomain: r.IncludeSubdomains}
	if r.Limit > 0 {
		*out.TopN = r.Limit
	}
	if r.Sitemap != "" && r.Sitemap != "include" {
		return nil, refuse(fault("sitemap", "must be include: sitemaps, feeds and links are read together"))
	}
	if r.IgnoreQueryParameters == nil || *r.IgnoreQueryParameters {
		out.ExcludeURLs = []string{"/**?**"} // the same paths without a query are listed
	}
	return checked(out)
}

type link struct {
	URL string `json:"url"`
}

type mapResponse struct {
	done

	ID    string `json:"id"`
	Links []link `json:"links"`
}

func (s *Service) mapSite(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	r, err := body[mapRequest](ctx)
	if err != nil {
		return nil, err
	}
	site, err := r.site()
	if err != nil {
		return nil, err
	}
	limited, cancel := within(ctx, r.Timeout)
	m, err := s.config.Maps.Create(limited, c, site)
	context.AfterFunc(ctx, cancel) // the map's memory is held until the response is sent
	if err != nil || m == nil {
		return nil, late(limited, err)
	}
	out := &mapResponse{done: ok(), ID: m.ID, Links: make([]link, len(m.URLs))}
	for i, url := range m.URLs {
		out.Links[i].URL = url
	}
	switch {
	case m.Cursor != nil:
		out.Warning = fmt.Sprintf("These are %d of %d URLs, as many as your credits afford or fit into a response: GET /v1/maps/%s has all.", len(m.URLs), m.URLsCount, m.ID)
	case m.Truncated:
		out.Warning = "URLs may be missing, because the search for them ran out of time."
	}
	return out, nil
}
