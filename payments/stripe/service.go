package stripe

import (
	"github.com/stripe/stripe-go/v76/client"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Status is the status of a purchase as shown to the client.
type Status string

const (
	// Succeeded: charged and credited (200).
	Succeeded Status = "succeeded"
	// Pending: the outcome is not known yet; credits follow if it was charged (202).
	Pending Status = "pending"
)

// PurchaseRequest is one attempt to buy a pack.
type PurchaseRequest struct {
	// TeamID is the team of the authenticated principal, never taken from the request's body.
	TeamID string
	// Credits of the pack.
	Credits money.Credits
	// IdempotencyKey is the client's own, at most 255 bytes; empty without one.
	IdempotencyKey string
	// RequestHash is the SHA-256 of what the key stands for (method, path, body). Required with a key.
	RequestHash [32]byte
}

// Result of a purchase that was not refused.
type Result struct {
	Status  Status
	TopupID string
	// PaymentIntentID is Stripe's. It may be empty while the purchase is pending.
	PaymentIntentID string
	// Credits that were granted: 0 while pending.
	Credits money.Credits
	// Replayed says that this is the outcome of an earlier request with the key.
	Replayed bool
}

// Card is the part of a saved card that may be shown.
type Card struct {
	Brand    string // visa, mastercard, …
	Last4    string
	ExpMonth int // 1 to 12
	ExpYear  int // four digits
}

// SetupRequest asks for a page on which a card can be saved.
type SetupRequest struct {
	TeamID string
	// Email, if not empty, is the address for receipts. If it is empty, Stripe's page asks for one.
	Email string
}

// WebhookBytesMax is the size of the largest accepted webhook.
const WebhookBytesMax = 256 << 10

// Service handles top-ups. Any number of services can share a database.
type Service struct {
	cfg  Config
	live bool
	api  *client.API
	q    *db.Queries
}

// New returns the service, or all errors of its configuration. It opens no connections; [Service.Run] must run
// alongside.
func New(cfg Config) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return assemble(cfg), nil
}

func assemble(cfg Config) *Service {
	cfg = cfg.withDefaults()
	live, _ := LiveKey(cfg.SecretKey)
	return &Service{cfg: cfg, live: live, api: newAPI(&cfg), q: db.New(cfg.DB)}
}
