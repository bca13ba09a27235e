package notifications

import (
	"context"
	"fmt"
	"net/http"
)

const (
	// UnsubscribePath is where the handler of links that end mail is, below the public address.
	UnsubscribePath = "/unsubscribe/"

	unsubscribeInfo = "turnpike notifications v1: unsubscribe"
	// allMail is the detail of links that end mail. In links that were sent before it is a monitor or a message; they end
	// all mail of the team, too.
	allMail = "mail"
)

// Unsubscribe returns the link by which an address ends mail of a team. It does not expire.
func (s *Service) Unsubscribe(teamID, address string) string {
	return s.config.PublicURL + UnsubscribePath + sealLink(s.key, link{teamID, allMail, address})
}

// UnsubscribeHandler serves links that end mail.
func (s *Service) UnsubscribeHandler() http.Handler {
	return s.linkHandler(UnsubscribePath, s.key, actionEnd, s.unsubscribing)
}

func (s *Service) unsubscribing(ctx context.Context, l link, change bool) (int, *page, error) {
	if change {
		if err := s.store.endConsent(ctx, l, s.config.Now()); err != nil {
			return 0, nil, err
		}
	}
	c, err := s.store.consent(ctx, l.teamID, l.address)
	if err != nil {
		return 0, nil, err
	}
	if c.status == consentUnsubscribed {
		return http.StatusOK, &page{
			Title: "You are unsubscribed",
			Text:  fmt.Sprintf("%s gets no mail about the monitors of %s. To get it again, ask them to name the address again. You are then asked to confirm.", l.address, c.team),
		}, nil
	}
	return http.StatusOK, &page{
		Title: "Stop this mail?", Text: fmt.Sprintf("%s will get no more mail about the monitors of %s.", l.address, c.team),
		Button: "Unsubscribe", Note: "Nothing has been changed yet.",
	}, nil
}
