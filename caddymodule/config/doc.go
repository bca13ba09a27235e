// Package config reads values from a Caddyfile, and secrets from placeholders.
package config
