package console

import (
	"context"
	"errors"
	"net/http"
)

// Faults of a page request that are found without calling the API.
var (
	errNoPage       = errors.New("there is no such page")
	errForeignForm  = errors.New("the form is another site's")
	errForm         = errors.New("the form cannot be read")
	errFormTooLarge = errors.New("the form is too large")
	errNoID         = errors.New("the id is none")
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
			Status: http.StatusNotFound, Title: "There is no such page",
			Text: "Nothing is at this address. It may have been mistyped, or what it showed has been deleted.", Link: Path, LinkText: "Go to the overview",
		}
	case errors.Is(err, errForeignForm):
		return &faultPage{
			Status: http.StatusForbidden, Title: "That form was not sent from here",
			Text:   "The console takes forms from its own pages only, so that no other site can act in your name. Nothing was done.",
			Advice: "If you sent it from here, your browser may hide where it came from. Load the page again and retry.", Link: Path, LinkText: "Go to the overview",
		}
	case errors.Is(err, errForm):
		return &faultPage{Status: http.StatusBadRequest, Title: "That form could not be read", Text: "What was sent is no complete form. Nothing was done."}
	case errors.Is(err, errFormTooLarge):
		return &faultPage{Status: http.StatusRequestEntityTooLarge, Title: "That form is too large", Text: "A form may have 64 KiB. Nothing was done."}
	case errors.Is(err, errTooLarge):
		return &faultPage{
			Status: http.StatusBadGateway, Title: "This is too large for a page",
			Text: "The answer has more than 8 MiB. Read it with the API, or by the signed address that its answer has.",
		}
	case errors.Is(err, errTimeout):
		return &faultPage{
			Status: http.StatusGatewayTimeout, Title: "The service is slow to answer",
			Text:   "The API did not answer in time. Something that you have just started may still be done.",
			Advice: "Wait a moment, then load the page again and look before you repeat anything.",
		}
	case errors.Is(err, errAway):
		return &faultPage{
			Status: http.StatusBadGateway, Title: "The service cannot be reached",
			Text: "The console is up, but the API behind it does not answer. Nothing of yours is lost.", Advice: "Load the page again in a moment.",
		}
	case errors.Is(err, errNoAnswer):
		return &faultPage{
			Status: http.StatusBadGateway, Title: "The service gave no answer that can be shown",
			Text: "What came back was not what the API documents.", Advice: "Load the page again in a moment. If it stays so, tell who runs the service.",
		}
	default:
		return &faultPage{
			Status: http.StatusInternalServerError, Title: "Something went wrong here",
			Text: "The page could not be made. This is the console's own fault, and it has been written down.", Advice: "Load the page again in a moment.",
		}
	}
}

// refusalPage shows the API's own error text, under a title for its meaning here.
func refusalPage(no *Refusal) *faultPage {
	p := &faultPage{Status: no.Status, Text: no.Detail, Faults: no.faults(), RequestID: no.RequestID}
	switch no.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		p.Title = "The service did not take that"
	case http.StatusPaymentRequired:
		p.Title, p.Link, p.LinkText = "There are not enough credits", Path+"/credits", "Buy credits"
		p.Advice = "Nothing was charged and nothing was started."
	case http.StatusForbidden:
		p.Title = "This key may not do that"
		if scope := no.text("required_scope"); scope != "" {
			p.Advice = "It needs the scope “" + clip(scope, 40) + "”. Sign in with a key that has it; the first key of a team has all scopes."
		}
	case http.StatusNotFound, http.StatusGone:
		p.Status, p.Title = http.StatusNotFound, "There is nothing with this id"
		p.Advice = "It may have been mistyped, be another team's, or have been deleted."
	case http.StatusConflict:
		p.Title, p.Advice = "That cannot be done now", "Load the page again to see how things stand."
	case http.StatusRequestEntityTooLarge:
		p.Title = "That is too large"
	case http.StatusTooManyRequests:
		p.Title, p.Advice = "Too many requests", "Wait "+waitWords(no.RetryAfter)+", then try again."
	case http.StatusNotImplemented:
		p.Title = "This service is not set up for that"
	default:
		p.Title, p.Advice = "The service has a fault", "Load the page again in a moment."
		if no.Status == http.StatusServiceUnavailable && no.RetryAfter > 0 {
			p.Advice = "Wait " + waitWords(no.RetryAfter) + ", then load the page again."
		}
		if p.Status < http.StatusInternalServerError { // a redirect, or a status that the API never sends
			p.Status = http.StatusBadGateway
		}
		if p.Text == "" {
			p.Text = "The API could not answer."
		}
	}
	return p
}
