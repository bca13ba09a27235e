package notifications

import (
	"context"
	"fmt"
	"net/http"
)

const (
	// UnsubscribePath is the path of the handler for unsubscribe links, below the public URL.
	UnsubscribePath = "/unsubscribe/"

	unsubscribeInfo = "turnpike notifications v1: unsubscribe"
	// allMail is the detail of unsubscribe links. Older links have a monitor or a message here; they also end all mail of the team.
	allMail = "mail"
)

// Unsubscribe returns the link with which an address ends the mail of a team. It does not expire.
func (s *Service) Unsubscribe(teamID, address string) string {
	return s.config.PublicURL + UnsubscribePath + sealLink(s.key, link{teamID, allMail, address})
}

// UnsubscribeHandler serves unsubscribe links.
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
			Text: fmt.Sprintf("%s no longer receives email about the monitors of %s. To receive it again, ask the team to add the "+
				"address again. You will then be asked to confirm.", l.address, c.team),
		}, nil
	}
	return http.StatusOK, &page{
		Title: "Stop these emails?", Text: fmt.Sprintf("%s will no longer receive email about the monitors of %s.", l.address, c.team),
		Button: "Unsubscribe", Note: "Nothing has been changed yet.",
	}, nil
}
