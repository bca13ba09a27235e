package notifications

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// ConfirmPath is the path of the handler for confirmation links, below the public URL.
	ConfirmPath = "/confirm/"
	// RequestedType is the type of the event that requests consent from addresses.
	RequestedType = "consent.requested"

	// channelConfirmation is the channel of messages that request consent. No monitor can name it.
	channelConfirmation = "confirmation"
	confirmInfo         = "turnpike notifications v1: confirm"

	// confirmTime is how long a confirmation link is valid.
	confirmTime = 7 * 24 * time.Hour
	// askedEvery is the minimum time between two consent requests to an address for a team, and the period in which a
	// team may request at most asksMax consents that are not given, so that strangers get little mail.
	askedEvery = 24 * time.Hour
	asksMax    = 20
)

// The consent of an address for a team. An address without a row is unasked.
const (
	consentUnasked      = "unasked"
	consentPending      = "pending"
	consentConfirmed    = "confirmed"
	consentUnsubscribed = "unsubscribed"
)

// The reason besides consentUnsubscribed why an event is withheld from its address.
const withheldUnconfirmed = "unconfirmed"

// consent is an address's consent for a team.
type consent struct {
	status  string
	askedAt time.Time
	team    string // the team's name
}

// Ask requests consent from the email addresses among channels that have not confirmed, once tx is committed, on behalf
// of a team that names them in a subject: at most one mail a day for each address, and 20 addresses a day for the team.
func (Targets) Ask(ctx context.Context, tx pgx.Tx, teamID, subject string, channels []outbox.Channel, now time.Time) error {
	return ask(ctx, tx, teamID, subject, addressesOf(channels), true, now)
}

// Consents returns the consent of each email address among channels for the team, in their order.
func (Targets) Consents(ctx context.Context, d db.DBTX, teamID string, channels []outbox.Channel) ([]outbox.Consent, error) {
	addresses := addressesOf(channels)
	if len(addresses) == 0 {
		return nil, nil
	}
	lower := make([]string, len(addresses))
	for i, a := range addresses {
		lower[i] = strings.ToLower(a)
	}
	rows, err := db.New(d).ListConsents(ctx, db.ListConsentsParams{TeamID: teamID, Addresses: lower})
	if err != nil {
		return nil, fmt.Errorf("reading the consents of %d addresses: %w", len(addresses), err)
	}
	known := map[string]outbox.Consent{}
	for i := range rows {
		known[rows[i].Address] = outbox.Consent{Status: rows[i].Status, AskedAt: seconds(&rows[i].AskedAt)}
	}
	consents := make([]outbox.Consent, len(addresses))
	for i, a := range addresses {
		c, ok := known[lower[i]]
		if !ok {
			c.Status = consentUnasked
		}
		c.Address = a
		consents[i] = c
	}
	return consents, nil
}

func addressesOf(channels []outbox.Channel) []string {
	var addresses []string
	for _, c := range channels {
		if c.Type == outbox.ChannelEmail {
			addresses = append(addresses, c.Target)
		}
	}
	return addresses
}

// ask records which addresses are asked, and adds the event that asks them. again says whether to ask an address again.
func ask(ctx context.Context, tx pgx.Tx, teamID, subject string, addresses []string, again bool, now time.Time) error {
	if len(addresses) == 0 {
		return nil
	}
	q := db.New(tx)
	if err := q.LockTeamForConsents(ctx, teamID); err != nil {
		return fmt.Errorf("locking team %s: %w", teamID, err)
	}
	now = now.Truncate(time.Microsecond) // the database's precision
	var asked []string
	for _, a := range addresses {
		n, err := q.AskConsent(ctx, db.AskConsentParams{
			TeamID: teamID, Address: strings.ToLower(a), Now: now, Since: now.Add(-askedEvery), AsksMax: asksMax, Again: again,
		})
		if err != nil {
			return fmt.Errorf("asking an address for its consent: %w", err)
		}
		if n > 0 {
			asked = append(asked, a)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	return outbox.Add(ctx, tx, outbox.Event{TeamID: teamID, Type: RequestedType, Subject: subject, Data: asked})
}

// askFirst asks an address that was named before consent was required, or while the team had asked too many.
func (s *Service) askFirst(ctx context.Context, m *Message, subject string) error {
	return pgx.BeginFunc(ctx, s.config.Pool, func(tx pgx.Tx) error {
		return ask(ctx, tx, m.TeamID, subject, []string{m.Target}, false, s.config.Now())
	})
}

// requested are the addresses that an event asks for consent.
func requested(e *outbox.Taken) ([]outbox.Channel, error) {
	var addresses []string
	if err := json.Unmarshal(e.JSON, &addresses); err != nil {
		return nil, fmt.Errorf("reading the addresses asked by event %s: %w", e.ID, err)
	}
	channels := make([]outbox.Channel, len(addresses))
	for i, a := range addresses {
		channels[i] = outbox.Channel{Type: channelConfirmation, Target: a}
	}
	return channels, nil
}

// Question is the content of a mail that requests consent.
type Question struct{ Team, Service, Confirm string }

// question is the consent request for an address; nil if it has answered.
func (s *Service) question(ctx context.Context, teamID, address string) (*Question, error) {
	c, err := s.store.consent(ctx, teamID, address)
	if err != nil || c.status != consentPending {
		return nil, err
	}
	return &Question{Team: c.team, Service: short(s.config.PublicURL), Confirm: s.Confirmation(teamID, address, c.askedAt)}, nil
}

// Confirmation returns the link with which an address confirms a request that was sent at askedAt.
func (s *Service) Confirmation(teamID, address string, askedAt time.Time) string {
	return s.config.PublicURL + ConfirmPath + sealLink(s.confirmKey, link{teamID, strconv.FormatInt(askedAt.UnixMicro(), 10), address})
}

// ConfirmHandler serves confirmation links.
func (s *Service) ConfirmHandler() http.Handler {
	return s.linkHandler(ConfirmPath, s.confirmKey, actionBegin, s.confirming)
}

func (s *Service) confirming(ctx context.Context, l link, change bool) (int, *page, error) {
	micros, err := strconv.ParseInt(l.detail, 10, 64)
	if err != nil {
		return 0, nil, errLink
	}
	askedAt, since := time.UnixMicro(micros), s.config.Now().Add(-confirmTime)
	if change {
		if err := s.store.confirm(ctx, l, askedAt, since, s.config.Now()); err != nil {
			return 0, nil, err
		}
	}
	c, err := s.store.consent(ctx, l.teamID, l.address)
	switch isLast := c.askedAt.Equal(askedAt); {
	case err != nil:
		return 0, nil, err
	case isLast && c.status == consentConfirmed:
		return http.StatusOK, &page{
			Title: "Confirmed", Text: fmt.Sprintf("%s receives email about the monitors of %s. Each email has a link to unsubscribe.", l.address, c.team),
		}, nil
	case isLast && c.status == consentPending && askedAt.After(since):
		return http.StatusOK, &page{
			Title: "Confirm this address?", Text: fmt.Sprintf("%s wants to send email about its monitors to %s.", c.team, l.address),
			Button: "Confirm: send me these emails", Note: "Nothing has been confirmed yet. If you do not want these emails, close this page, and none will be sent.",
		}, nil
	}
	return http.StatusGone, &page{
		Title: "This link no longer works",
		Text: fmt.Sprintf("A link is valid for 7 days, and only the link in the latest email works. To get another email, ask %s to add %s again "+
			"as a channel of a monitor. At most one email is sent per day.", c.team, l.address),
	}, nil
}

// consent returns an address's consent for a team. The error is errLink if the team does not exist.
func (s *store) consent(ctx context.Context, teamID, address string) (consent, error) {
	row, err := s.queries.Consent(ctx, db.ConsentParams{TeamID: teamID, Address: strings.ToLower(address)})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return consent{}, errLink
	case err != nil:
		return consent{}, fmt.Errorf("reading the consent of an address: %w", err)
	}
	c := consent{status: consentUnasked, team: "“" + plain(row.Team, teamRunesMax) + "”"}
	if row.Status != nil {
		c.status, c.askedAt = *row.Status, *row.AskedAt
	}
	return c, nil
}

// confirm records consent for a link's address, unless it was asked again after askedAt, or askedAt is before since.
func (s *store) confirm(ctx context.Context, l link, askedAt, since, now time.Time) error {
	_, err := s.queries.ConfirmConsent(ctx, db.ConfirmConsentParams{
		TeamID: l.teamID, Address: strings.ToLower(l.address), AskedAt: askedAt, Since: since, Now: now,
	})
	if err != nil {
		return fmt.Errorf("storing a consent: %w", err)
	}
	return nil
}

// endConsent records that a link's address wants no mail.
func (s *store) endConsent(ctx context.Context, l link, now time.Time) error {
	err := s.queries.EndConsent(ctx, db.EndConsentParams{TeamID: l.teamID, Address: strings.ToLower(l.address), Now: now})
	if err != nil {
		return fmt.Errorf("storing that an address has unsubscribed: %w", err)
	}
	return nil
}
