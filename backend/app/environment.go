package app

import (
	"fmt"
	"maps"
	"os"
	"strconv"

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
func (c *Config) databaseFromEnv() (err error) {
	c.DatabaseURL, err = urlFromEnv(databaseURLName)
	if c.DirectURL = c.DatabaseURL; err != nil || os.Getenv(directURLName) == "" {
		return err
	}
	c.DatabaseURL = db.Pooled(c.DatabaseURL)
	c.DirectURL, err = urlFromEnv(directURLName)
	return err
}

// DirectURLFromEnv returns the address of the database itself.
func DirectURLFromEnv() (string, error) {
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

// Unbounded removes the limits for statements.
func Unbounded(c *pgxpool.Config) { maps.Copy(c.ConnConfig.RuntimeParams, db.Unbounded) }

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
