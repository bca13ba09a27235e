package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/spf13/cobra"

	turnpike "github.com/turnpike-edge/turnpike"
	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/caddymodule/x402"
	"github.com/turnpike-edge/turnpike/payments/reconcile/checks"
)

// shippedX402 are the settings that the shipped Caddyfile needs for x402 payments.
var shippedX402 = []string{"PAY_TO", checks.NodeName, settlerKeyName}

// examineX402 checks what payments depend on. It returns an error only for a configuration given with --config;
// settings that are missing here are a finding.
func examineX402(cmd *cobra.Command) ([]app.Finding, error) {
	const name = "x402 payments"
	file, _ := cmd.Flags().GetString("config")
	if file == "" {
		var unset []string
		for _, setting := range shippedX402 {
			if os.Getenv(setting) == "" {
				unset = append(unset, setting)
			}
		}
		if len(unset) > 0 {
			return []app.Finding{{Name: name, OK: false, Text: "set " + strings.Join(unset, ", ") + ", or name a configuration with --config"}}, nil
		}
	}
	config, err := adaptFile(file)
	if err != nil {
		return []app.Finding{{Name: name, OK: false, Text: err.Error()}}, fmt.Errorf("--config: %w", err)
	}
	found, err := x402.Examine(cmd.Context(), config)
	all := make([]app.Finding, 0, len(found)+1)
	failed := err != nil
	for _, f := range found {
		all = append(all, app.Finding{Name: f.Name, OK: f.OK, Text: f.Text})
		failed = failed || !f.OK
	}
	switch {
	case err != nil:
		all = append(all, app.Finding{Name: name, OK: false, Text: strings.ReplaceAll(err.Error(), "\n", "; ")})
	case len(found) == 0:
		all = append(all, app.Finding{Name: name, OK: true, Text: "none in this configuration"})
	}
	if failed && file != "" {
		return all, errors.New("x402 payments cannot be accepted")
	}
	return all, nil
}

// adaptFile returns a configuration as JSON: that of a file, or the shipped one.
func adaptFile(name string) ([]byte, error) {
	text := turnpike.Caddyfile
	if name != "" {
		var err error
		if text, err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	if filepath.Ext(name) == ".json" {
		return text, nil
	}
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt(text, map[string]any{"filename": name})
	return config, err
}
