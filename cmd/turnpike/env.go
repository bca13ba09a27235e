package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// postgresURL says what DATABASE_URL is to be.
const postgresURL = "a Postgres URL such as postgres://user:password@host:5432/turnpike"

// databaseURL returns DATABASE_URL. It is taken from the environment alone, for
// it holds a password and command lines are seen by every user of a machine.
func databaseURL() (string, error) {
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		return "", errors.New("DATABASE_URL is not set: want " + postgresURL)
	}
	if _, err := pgx.ParseConfig(url); err != nil {
		return "", fmt.Errorf("DATABASE_URL cannot be read (%w): want %s", err, postgresURL)
	}
	return url, nil
}

// withPool runs f with the database of DATABASE_URL.
func withPool(ctx context.Context, f func(*pgxpool.Pool) error) error {
	url, err := databaseURL()
	if err != nil {
		return err
	}
	pool, err := db.Open(ctx, url, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	return f(pool)
}

// untilInterrupted returns a context that ends at SIGINT or SIGTERM. A second
// signal ends the process at once.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// secretFromEnv returns a secret of at least edgewire.SecretBytesMin bytes.
func secretFromEnv(name string) ([]byte, error) {
	secret := os.Getenv(name)
	if len(secret) < edgewire.SecretBytesMin {
		return nil, fmt.Errorf("%s has %d bytes: want at least %d (make one with `openssl rand -hex 32`)", name, len(secret), edgewire.SecretBytesMin)
	}
	return []byte(secret), nil
}

// intFromEnv reads a number into at, which keeps what it has where nothing is set.
func intFromEnv(name string, least, most int, at *int) error {
	text := os.Getenv(name)
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return fmt.Errorf("%s is %q: want %d to %d", name, text, least, most)
	}
	*at = n
	return nil
}

// What the shipped Caddyfile reads Stripe's secrets and address from.
const (
	stripeKeyName     = "STRIPE_SECRET_KEY"
	stripeWebhookName = "STRIPE_WEBHOOK_SECRET"
	stripeAPIBaseName = "STRIPE_API_BASE"
)

// isStripeTestKey reports whether payments with the key are not real.
func isStripeTestKey(key string) bool {
	return strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_")
}
