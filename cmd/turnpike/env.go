package main

import (
	"context"
	"fmt"
	"maps"
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

// postgresURL describes a valid DATABASE_URL.
const postgresURL = "a Postgres URL such as postgres://user:password@host:5432/turnpike"

// The addresses of the database. Services use the first, which may lead to a pooler if the second is set. Migrations,
// operators' commands and listeners use the second.
const (
	databaseURLName = "DATABASE_URL"
	directURLName   = "DATABASE_DIRECT_URL"
)

// databaseFromEnv reads both. They are read only from the environment, because they contain passwords and every user of
// a machine can see command lines.
func (c *backendConfig) databaseFromEnv() (err error) {
	c.databaseURL, err = urlFromEnv(databaseURLName)
	if c.directURL = c.databaseURL; err != nil || os.Getenv(directURLName) == "" {
		return err
	}
	c.databaseURL = db.Pooled(c.databaseURL)
	c.directURL, err = urlFromEnv(directURLName)
	return err
}

// directURL returns the address of the database itself.
func directURL() (string, error) {
	if os.Getenv(directURLName) != "" {
		return urlFromEnv(directURLName)
	}
	return urlFromEnv(databaseURLName)
}

func urlFromEnv(name string) (string, error) {
	url := os.Getenv(name)
	if url == "" {
		return "", fmt.Errorf("%s is not set: want %s", name, postgresURL)
	}
	if _, err := pgx.ParseConfig(url); err != nil {
		return "", fmt.Errorf("%s cannot be read (%w): want %s", name, err, postgresURL)
	}
	return url, nil
}

// withPool runs f with a pool on the database itself, without time limits for statements.
func withPool(ctx context.Context, f func(*pgxpool.Pool) error) error {
	url, err := directURL()
	if err != nil {
		return err
	}
	pool, err := db.Open(ctx, url, unbounded)
	if err != nil {
		return err
	}
	defer pool.Close()
	return f(pool)
}

// unbounded removes the limits for statements.
func unbounded(c *pgxpool.Config) { maps.Copy(c.ConnConfig.RuntimeParams, db.Unbounded) }

// untilInterrupted returns a context that ends at SIGINT or SIGTERM. A second signal ends the process at once.
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

// intFromEnv reads a number into at. If the variable is not set, at keeps its value.
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

// The variables of the shipped Caddyfile with Stripe's secrets and address.
const (
	stripeKeyName     = "STRIPE_SECRET_KEY"
	stripeWebhookName = "STRIPE_WEBHOOK_SECRET"
	stripeAPIBaseName = "STRIPE_API_BASE"
)

// isStripeTestKey reports whether payments with the key are not real.
func isStripeTestKey(key string) bool {
	return strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_")
}
