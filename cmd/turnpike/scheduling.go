package main

import (
	"net/http"
	"time"
	_ "time/tzdata" // schedules go by the clocks of places, also where the machine has no list of them

	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// openSchedules makes schedules, whose calls go to this backend's own API under identities like the edge's.
func (b *backend) openSchedules(cfg backendConfig, book *price.Book) error {
	signer, err := edgewire.NewSigner(cfg.identitySecret, cfg.audience, time.Now)
	if err != nil {
		return err
	}
	b.schedules, err = schedules.New(schedules.Config{
		Pool: b.pool, Book: book, Signer: signer, API: func() http.Handler { return b.server },
		Registerer: b.registry, Logger: cfg.logger, Now: time.Now,
	})
	return err
}
