package app

import (
	"net/http"
	"time"
	_ "time/tzdata" // schedules use time zones, even on machines without a time zone database

	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// openSchedules creates schedules. Their calls go to this backend's own API, with identities like the edge's.
func (b *Backend) openSchedules(cfg Config, book *price.Book) error {
	signer, err := edgewire.NewSigner(cfg.IdentitySecret, cfg.Audience, time.Now)
	if err != nil {
		return err
	}
	b.schedules, err = schedules.New(schedules.Config{
		Pool: b.pool, Book: book, Signer: signer, API: func() http.Handler { return b.server },
		Registerer: b.registry, Logger: cfg.Logger, Now: time.Now,
	})
	return err
}
