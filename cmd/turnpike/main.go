package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // registers Caddy's own modules
	"github.com/spf13/cobra"

	_ "github.com/turnpike-edge/turnpike" // registers Turnpike's modules
	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/backend/parsers"
	"github.com/turnpike-edge/turnpike/cmd/adminsocket"
	"github.com/turnpike-edge/turnpike/cmd/flagerror"
)

// longDescription replaces Caddy's, which does not mention our commands.
const longDescription = `Turnpike charges for HTTP APIs. It is Caddy with modules that take payment at the edge, by API key or by x402,
and comes with a web data service that you can sell.

  turnpike dev                        runs everything on this machine, to try it
  turnpike run --config Caddyfile     runs the edge; adapt, validate, reload and more are Caddy's own commands
  turnpike backend                    runs the web data service behind the edge
  turnpike browser                    starts browsers for the web data service, as a separate user
  turnpike doctor                     checks this machine and its settings
  turnpike scrape https://example.com reads a page with a service; search, ask, map, crawl, batch, monitor and mcp do more

docs/quickstart.md shows how to get from an empty database to the first paid request.`

// helpTemplate is cobra's, without the line about Caddy's documentation that Caddy adds.
const helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`

// examples replaces Caddy's, which call the program caddy.
const examples = `  $ turnpike dev
  $ turnpike run --config Caddyfile
  $ turnpike reload --config Caddyfile
  $ turnpike stop`

// caddyDocs is where Caddy documents its own commands.
const caddyDocs = "\nCaddy's own commands are documented at https://caddyserver.com/docs/command-line\n"

func init() {
	caddy.CustomBinaryName = "turnpike"
	caddy.CustomLongDescription = longDescription
	caddy.CustomVersion = "Turnpike " + app.Version() + ", Caddy" // Caddy's own version follows
	var first *cobra.Command
	register("backend", "", "Runs the web data API and its workers", func(cmd *cobra.Command) {
		first = cmd
		backendCommand(cmd)
	})
	register("browser", "", "Starts browsers for backends, as a separate user", browserCommand)
	register("dev", "", "Runs everything on this machine, with a demo key and wallet", devCommand)
	register("migrate", "", "Applies pending database migrations", migrateCommand)
	register("doctor", "", "Checks this machine and its settings", doctorCommand)
	register("teams", "<command>", "Creates and lists teams", teamsCommand)
	register("keys", "<command>", "Creates, lists, rotates and revokes API keys", keysCommand)
	register("credits", "<command>", "Grants and shows prepaid credits", creditsCommand)
	register("payments", "<command>", "Lists payments, pays refunds and checks the ledger", paymentsCommand)
	register("warc", "<command>", "Records pages to WARC files, and reads WARC files", warcCommand)
	for _, verb := range verbs {
		register(verb.name, verb.usage, verb.short, clientCommand)
	}
	register("pay", "<url>", "Requests a URL and pays for it with x402", func(cmd *cobra.Command) {
		payCommand(cmd)
		// Commands are added in order, so the first one has Caddy's root as its root by now.
		root := first.Root()
		root.Example = examples
		root.SetHelpTemplate(helpTemplate + caddyDocs)
		refuseReplacing(root)
	})
}

func main() {
	if parsers.IsWorker() {
		os.Exit(parsers.Work())
	}
	tuneCollector(os.Args)
	adminsocket.MakeDefault(os.Args)
	caddycmd.Main()
}

// group makes cmd a group of commands: without arguments it shows its help, and an unknown command is an error.
func group(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, member := range cmd.Commands() {
			names = append(names, member.Name())
		}
		return fmt.Errorf("unknown command %q for %q: want one of %s", args[0], cmd.CommandPath(), strings.Join(names, ", "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// oneArgument requires one argument, and describes it in the error.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("got %d arguments, want one, %s; usage: %s", len(args), what, cmd.UseLine())
		}
		return nil
	}
}

// register adds a subcommand. Cobra prints its errors once, and the program exits with 1.
func register(name, usage, short string, configure func(*cobra.Command)) {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name: name, Usage: usage, Short: short,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Use = strings.TrimSpace(cmd.Use)
			cmd.SetHelpTemplate(helpTemplate)
			cmd.SetFlagErrorFunc(flagerror.Explain)
			configure(cmd)
		},
	})
}
