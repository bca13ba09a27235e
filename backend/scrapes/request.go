package scrapes

import (
	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/page"
)

// Request is the body of POST /v1/scrapes.
type Request struct {
	URL string `json:"url_to_scrape" minLength:"1" maxLength:"8192" doc:"The URL of the page: an absolute http or https URL." example:"https://example.com/"`
	page.Options

	Record   bool           `json:"record,omitempty" default:"false" doc:"Whether to store the requests and responses as WARC, in addition to the content. See warc_hosted_url."`
	Metadata metadata.Input `json:"metadata,omitempty"`
}
