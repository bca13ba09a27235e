package console

import (
	"context"
	"errors"
	"net/http"
)

// Faults of a page request that are found without calling the API.
var (
	errNoPage       = errors.New("page not found")
	errForeignForm  = errors.New("the form was sent from another site")
	errForm         = errors.New("the form cannot be read")
	errFormTooLarge = errors.New("the form is too large")
	errNoID         = errors.New("the id is not valid")
)

// faultPage describes an error on a page.
type faultPage struct {
	Status    int
	Title     string
	Text      string   // what was wrong
	Faults    []string // of fields
	Advice    string   // what to do now
	Link      string   // where to do that
	LinkText  string
	RequestID string
}

// fail responds with a page that describes the error.
func (v *visit) fail(err error) {
	page := faultOf(err)
	if page.Status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		v.console.config.Logger.WarnContext(v.r.Context(), "a page of the console failed", "path", v.r.Pattern, "error", err)
	}
	if s, err := v.console.vault.of(v.r); err == nil {
		v.session = s // shows the navigation whenever there is a session
	}
	v.showStatus(page.Status, "error", page.Title, page)
}

func faultOf(err error) *faultPage {
	if no, ok := errors.AsType[*Refusal](err); ok {
		return refusalPage(no)
	}
	switch {
	case errors.Is(err, errNoPage), errors.Is(err, errNoID):
		return &faultPage{
			Status: http.StatusNotFound, Title: "Page not found",
			Text: "There is nothing at this address. It may be mistyped, or the resource may have been deleted.", Link: Path, LinkText: "Go to overview",
		}
	case errors.Is(err, errForeignForm):
		return &faultPage{
			Status: http.StatusForbidden, Title: "The form was sent from another site",
			Text:   "The console accepts forms only from its own pages, so that no other site can act on your behalf. Nothing was changed.",
			Advice: "If you sent the form from the console, your browser may hide its origin. Reload the page and try again.", Link: Path, LinkText: "Go to overview",
		}
	case errors.Is(err, errForm):
		return &faultPage{Status: http.StatusBadRequest, Title: "The form could not be read", Text: "The submitted form is not complete. Nothing was changed."}
	case errors.Is(err, errFormTooLarge):
		return &faultPage{Status: http.StatusRequestEntityTooLarge, Title: "The form is too large", Text: "A form may have at most 64 KiB. Nothing was changed."}
	case errors.Is(err, errTooLarge):
		return &faultPage{
			Status: http.StatusBadGateway, Title: "The response is too large for a page",
			Text: "The response has more than 8 MiB. Read it with the API, or through the signed URL in the API's response.",
		}
	case errors.Is(err, errTimeout):
		return &faultPage{
			Status: http.StatusGatewayTimeout, Title: "The service is slow to respond",
			Text:   "The API did not respond in time. An action that you just started may still complete.",
			Advice: "Wait a moment, then reload the page and check the result before you repeat the action.",
		}
	case errors.Is(err, errAway):
		return &faultPage{
			Status: http.StatusBadGateway, Title: "The service cannot be reached",
			Text: "The console is running, but the API behind it does not respond. No data is lost.", Advice: "Reload the page in a moment.",
		}
	case errors.Is(err, errNoAnswer):
		return &faultPage{
			Status: http.StatusBadGateway, Title: "The service returned an invalid response",
			Text: "The response does not match the documentation of the API.", Advice: "Reload the page in a moment. If the problem persists, contact the operator of the service.",
		}
	default:
		return &faultPage{
			Status: http.StatusInternalServerError, Title: "Something went wrong",
			Text: "The page could not be rendered because of an internal error, which has been logged.", Advice: "Reload the page in a moment.",
		}
	}
}

// refusalPage shows the API's own error text, under a title for its meaning here.
func refusalPage(no *Refusal) *faultPage {
	p := &faultPage{Status: no.Status, Text: no.Detail, Faults: no.faults(), RequestID: no.RequestID}
	switch no.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		p.Title = "The request was not accepted"
	case http.StatusPaymentRequired:
		p.Title, p.Link, p.LinkText = "Not enough credits", Path+"/credits", "Buy credits"
		p.Advice = "Nothing was charged and nothing was started."
	case http.StatusForbidden:
		p.Title = "This key lacks permission"
		if scope := no.text("required_scope"); scope != "" {
			p.Advice = "This requires the scope “" + clipped(scope, 40) + "”. Sign in with a key that has it; the first key of a team has all scopes."
		}
	case http.StatusNotFound, http.StatusGone:
		p.Status, p.Title = http.StatusNotFound, "Nothing found with this ID"
		p.Advice = "The ID may be mistyped, belong to another team, or refer to something that was deleted."
	case http.StatusConflict:
		p.Title, p.Advice = "This is not possible right now", "Reload the page to see the current state."
	case http.StatusRequestEntityTooLarge:
		p.Title = "The request is too large"
	case http.StatusTooManyRequests:
		p.Title, p.Advice = "Too many requests", "Wait "+waitWords(no.RetryAfter)+", then try again."
	case http.StatusNotImplemented:
		p.Title = "This service is not configured for that"
	default:
		p.Title, p.Advice = "The service has a problem", "Reload the page in a moment."
		if no.Status == http.StatusServiceUnavailable && no.RetryAfter > 0 {
			p.Advice = "Wait " + waitWords(no.RetryAfter) + ", then reload the page."
		}
		if p.Status < http.StatusInternalServerError { // a redirect, or a status that the API never sends
			p.Status = http.StatusBadGateway
		}
		if p.Text == "" {
			p.Text = "The API could not respond."
		}
	}
	return p
}
