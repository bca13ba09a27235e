package stripe

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	stripego "github.com/stripe/stripe-go/v76"

	"github.com/turnpike-edge/turnpike/db"
)

// SetupPage returns the address of a Stripe page on which the team can save a card; it replaces the previous card. The
// page expires after 24 hours. Errors: [ErrUnavailable].
func (s *Service) SetupPage(ctx context.Context, req SetupRequest) (string, error) {
	customer, err := s.ensureCustomer(ctx, req)
	if err != nil {
		return "", unavailable("preparing a page to save a card", err)
	}
	p := &stripego.CheckoutSessionParams{
		Params:             params(ctx, ""),
		Mode:               new(string(stripego.CheckoutSessionModeSetup)),
		Customer:           &customer.CustomerID,
		PaymentMethodTypes: stripego.StringSlice([]string{"card"}),
		SuccessURL:         new(s.cfg.SetupReturnURL),
		CancelURL:          new(s.cfg.SetupReturnURL),
	}
	p.AddMetadata(metadataTeam, req.TeamID)
	session, err := s.api.CheckoutSessions.New(p)
	if err != nil {
		return "", unavailable("creating a page to save a card", err)
	}
	return session.URL, nil
}

// ensureCustomer returns the team's customer at Stripe, and creates it if there is none.
func (s *Service) ensureCustomer(ctx context.Context, req SetupRequest) (*db.StripeCustomer, error) {
	customer, err := s.customer(ctx, req.TeamID)
	if err != nil {
		return nil, err
	}
	if customer == nil {
		// The idempotency key keeps two edges from creating two customers. So all parameters must be the same on every
		// edge.
		p := &stripego.CustomerParams{Params: params(ctx, "customer_"+req.TeamID)}
		p.AddMetadata(metadataTeam, req.TeamID)
		made, err := s.api.Customers.New(p)
		if err != nil {
			return nil, fmt.Errorf("creating a customer: %w", err)
		}
		err = s.q.SaveStripeCustomer(ctx, db.SaveStripeCustomerParams{
			TeamID: req.TeamID, Livemode: s.live, CustomerID: made.ID, Now: s.cfg.Now(),
		})
		if err != nil {
			return nil, fmt.Errorf("saving customer %s: %w", made.ID, err)
		}
		saved, err := s.q.StripeCustomer(ctx, db.StripeCustomerParams{TeamID: req.TeamID, Livemode: s.live})
		if err != nil {
			return nil, fmt.Errorf("reading the saved customer: %w", err)
		}
		customer = &saved
	}
	if req.Email == "" || req.Email == customer.Email {
		return customer, nil
	}
	p := &stripego.CustomerParams{Params: params(ctx, ""), Email: new(req.Email)}
	if _, err := s.api.Customers.Update(customer.CustomerID, p); err != nil {
		return nil, fmt.Errorf("setting the email of customer %s: %w", customer.CustomerID, err)
	}
	if err := s.q.SetReceiptEmail(ctx, db.SetReceiptEmailParams{CustomerID: customer.CustomerID, Email: req.Email}); err != nil {
		return nil, fmt.Errorf("setting the email of customer %s: %w", customer.CustomerID, err)
	}
	return customer, nil
}

// customer returns nil for a team that never had a setup page.
func (s *Service) customer(ctx context.Context, teamID string) (*db.StripeCustomer, error) {
	customer, err := s.q.StripeCustomer(ctx, db.StripeCustomerParams{TeamID: teamID, Livemode: s.live})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("finding the customer of team %s: %w", teamID, err)
	}
	return &customer, nil
}

// customerWithCard is customer, but looks for a card at Stripe if none is known: the webhook about it may be late, or
// not set up.
func (s *Service) customerWithCard(ctx context.Context, teamID string) (*db.StripeCustomer, error) {
	customer, err := s.customer(ctx, teamID)
	if err != nil {
		return nil, unavailable("finding the saved card", err)
	}
	if customer == nil || customer.PaymentMethodID != nil {
		return customer, nil
	}
	cards, err := s.cards(ctx, customer.CustomerID)
	if err != nil {
		return nil, unavailable("finding the saved card", err)
	}
	if len(cards) == 0 {
		return customer, nil
	}
	if _, err := s.take(ctx, s.q, customer.CustomerID, cards[0]); err != nil {
		return nil, unavailable("saving the card", err)
	}
	s.makeDefault(ctx, customer.CustomerID, cards[0].ID)
	return s.customer(ctx, teamID)
}

// cards returns a customer's cards at Stripe, the newest first.
func (s *Service) cards(ctx context.Context, customerID string) ([]*stripego.PaymentMethod, error) {
	p := &stripego.PaymentMethodListParams{
		Customer: new(customerID), Type: new(string(stripego.PaymentMethodTypeCard)),
	}
	p.Context = ctx
	p.Limit = new(int64(100))
	var cards []*stripego.PaymentMethod
	it := s.api.PaymentMethods.List(p)
	for it.Next() {
		cards = append(cards, it.PaymentMethod())
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("listing the cards of customer %s: %w", customerID, err)
	}
	return cards, nil
}

// take saves a card for the customer's purchases, unless a newer one is already saved. It reports whether it did.
func (s *Service) take(ctx context.Context, q *db.Queries, customerID string, card *stripego.PaymentMethod) (bool, error) {
	email := ""
	if card.BillingDetails != nil {
		email = card.BillingDetails.Email
	}
	n, err := q.SetCard(ctx, db.SetCardParams{CustomerID: customerID, PaymentMethodID: card.ID, SetAt: unix(card.Created), Email: email})
	if err != nil {
		return false, fmt.Errorf("saving card %s: %w", card.ID, err)
	}
	return n > 0, nil
}

// makeDefault shows in Stripe's dashboard which card is used. Nothing depends on it, since purchases name their card.
func (s *Service) makeDefault(ctx context.Context, customerID, cardID string) {
	p := &stripego.CustomerParams{
		Params:          params(ctx, ""),
		InvoiceSettings: &stripego.CustomerInvoiceSettingsParams{DefaultPaymentMethod: new(cardID)},
	}
	if _, err := s.api.Customers.Update(customerID, p); err != nil {
		s.cfg.Logger.Warn("the saved card is not the default at Stripe", "customer", customerID, "error", err)
	}
}

// PaymentMethod returns the team's saved card as Stripe has it now. Errors: [NoPaymentMethodError] (without a page),
// [ErrUnavailable].
func (s *Service) PaymentMethod(ctx context.Context, teamID string) (Card, error) {
	customer, err := s.customerWithCard(ctx, teamID)
	if err != nil {
		return Card{}, err
	}
	if customer == nil || customer.PaymentMethodID == nil {
		return Card{}, &NoPaymentMethodError{}
	}
	pm, err := s.api.PaymentMethods.Get(*customer.PaymentMethodID, &stripego.PaymentMethodParams{Params: params(ctx, "")})
	if err != nil && !isMissing(err) {
		return Card{}, unavailable("reading the saved card", err)
	}
	if err != nil || !belongs(pm, customer.CustomerID) || pm.Card == nil { // removed at Stripe
		if err := s.q.RemoveCard(ctx, customer.CustomerID); err != nil {
			return Card{}, unavailable("deleting the record of the saved card", err)
		}
		return Card{}, &NoPaymentMethodError{}
	}
	return Card{
		Brand: string(pm.Card.Brand), Last4: pm.Card.Last4,
		ExpMonth: int(pm.Card.ExpMonth), ExpYear: int(pm.Card.ExpYear),
	}, nil
}

func belongs(pm *stripego.PaymentMethod, customerID string) bool {
	return pm != nil && pm.Customer != nil && pm.Customer.ID == customerID
}

// RemovePaymentMethod deletes the team's saved card, here and at Stripe. Without a card it does nothing. Errors:
// [ErrUnavailable].
func (s *Service) RemovePaymentMethod(ctx context.Context, teamID string) error {
	customer, err := s.customer(ctx, teamID)
	if err != nil {
		return unavailable("finding the saved card", err)
	}
	if customer == nil {
		return nil
	}
	cards, err := s.cards(ctx, customer.CustomerID)
	if err != nil {
		return unavailable("finding the saved card", err)
	}
	for _, card := range cards {
		p := &stripego.PaymentMethodDetachParams{Params: params(ctx, "")}
		if _, err := s.api.PaymentMethods.Detach(card.ID, p); err != nil && !isMissing(err) {
			return unavailable("removing the saved card", err)
		}
	}
	if err := s.q.RemoveCard(ctx, customer.CustomerID); err != nil {
		return unavailable("deleting the record of the saved card", err)
	}
	return nil
}
