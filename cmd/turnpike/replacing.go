package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
)

// replacing are Caddy's commands that replace this program with a build from caddyserver.com, which has none of our
// modules, and what to do instead.
var replacing = []struct{ name, instead string }{
	{"upgrade", "Replace the binary with a newer release of Turnpike and restart it (docs/operations.md, \"Upgrading\")."},
	{"add-package", "Import the package in cmd/turnpike/main.go and build Turnpike with it: make build."},
	{"remove-package", "Remove its import from cmd/turnpike/main.go and build Turnpike without it: make build."},
}

// refuseReplacing makes these commands of root fail, whatever their arguments.
func refuseReplacing(root *cobra.Command) {
	for _, r := range replacing {
		commands := root.Commands()
		i := slices.IndexFunc(commands, func(cmd *cobra.Command) bool { return cmd.Name() == r.name })
		if i < 0 {
			continue
		}
		root.RemoveCommand(commands[i])
		root.AddCommand(&cobra.Command{
			Use: r.name, Hidden: true, DisableFlagParsing: true, SilenceUsage: true,
			RunE: func(*cobra.Command, []string) error {
				return errors.New(r.name + " would replace this program with a build of Caddy without Turnpike. " + r.instead)
			},
		})
	}
}
