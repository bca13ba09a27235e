package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/db"
)

// withPool runs f with a pool on the database itself, without time limits for statements.
func withPool(ctx context.Context, f func(*pgxpool.Pool) error) error {
	url, err := app.DirectURLFromEnv()
	if err != nil {
		return err
	}
	pool, err := db.Open(ctx, url, app.Unbounded)
	if err != nil {
		return err
	}
	defer pool.Close()
	return f(pool)
}

// untilInterrupted returns a context that ends at SIGINT or SIGTERM. A second signal ends the process at once.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// stripeWebhookName is the variable of the shipped Caddyfile with the secret of Stripe's webhook.
const stripeWebhookName = "STRIPE_WEBHOOK_SECRET"
