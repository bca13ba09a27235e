package firecrawl

import (
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// errorBody is an error as Firecrawl's clients read it: error is text for people.
type errorBody struct {
	Success bool           `json:"success"`
	Error   string         `json:"error"`
	Code    string         `json:"code"`
	Details map[string]any `json:"details,omitempty"`
}

// The codes that clients know. All other codes are this service's own.
const (
	codeTimeout = "SCRAPE_TIMEOUT"
	codeDNS     = "SCRAPE_DNS_RESOLUTION_ERROR"
	codeTLS     = "SCRAPE_SSL_ERROR"
)

// errorForm is the principal.ErrorForm of the routes.
func errorForm(e *problem.Error) any {
	body := errorBody{Error: e.Detail, Code: string(e.Code), Details: e.Metadata}
	switch {
	case e.Code == problem.RequestTimeout:
		body.Code = codeTimeout
	case e.Code == problem.FetchFailed && e.Metadata["reason"] == "dns":
		body.Code = codeDNS
	case e.Code == problem.FetchFailed && e.Metadata["reason"] == "tls":
		body.Code = codeTLS
	}
	return body
}

// clientError gives err a status that clients have a class of errors for. They would send a request again after a 502,
// three times at once.
func clientError(err error) error {
	e := problem.From(err)
	switch e.GetStatus() {
	case http.StatusGatewayTimeout:
		return e.At(http.StatusRequestTimeout)
	case http.StatusBadGateway:
		return e.At(http.StatusInternalServerError)
	case http.StatusNotImplemented, http.StatusUnprocessableEntity:
		return e.At(http.StatusBadRequest)
	case http.StatusServiceUnavailable:
		return e.At(http.StatusTooManyRequests)
	}
	return e
}

// refuse is the error for what a request asks for and no feature has.
func refuse(faults []problem.Fault) error { return problem.Validation(faults...) }

// fault is what is wrong at a dotted place of the body, such as "scrapeOptions.formats".
func fault(at, msg string) problem.Fault {
	loc := []any{"body"}
	for part := range strings.SplitSeq(at, ".") {
		if part != "" {
			loc = append(loc, part)
		}
	}
	return problem.Fault{Loc: loc, Msg: msg, Type: problem.FaultInvalid}
}
