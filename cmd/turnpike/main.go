package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // registers Caddy's own modules
	"github.com/spf13/cobra"

	_ "github.com/turnpike-edge/turnpike" // registers the toll's modules
)

// longDescription takes the place of Caddy's, which knows of none of ours.
const longDescription = `Turnpike puts a toll on an HTTP API. It is Caddy with modules that take payment at the edge, by key
or by x402, and the web data service that it sells first.

  turnpike dev                        everything on this machine, to try it
  turnpike run --config Caddyfile     the edge; adapt, validate, reload and the rest are Caddy's own
  turnpike backend                    the web data service behind it
  turnpike doctor                     what this machine lacks

docs/quickstart.md leads from an empty database to the first paid request.`

// helpTemplate is cobra's, without the line about Caddy's documentation that Caddy adds.
const helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`

func init() {
	caddy.CustomBinaryName = "turnpike"
	caddy.CustomLongDescription = longDescription
	caddy.CustomVersion = "Turnpike " + version() + ", Caddy" // whose own version follows
	register("backend", "", "Runs the web data API and its workers", backendCommand)
	register("dev", "", "Runs everything on this machine, with a demo key and wallet", devCommand)
	register("migrate", "", "Brings the database's schema up to date", migrateCommand)
	register("doctor", "", "Says what is missing on this machine and how to get it", doctorCommand)
	register("teams", "<command>", "Creates and lists teams", teamsCommand)
	register("keys", "<command>", "Creates, lists, rotates and revokes API keys", keysCommand)
	register("credits", "<command>", "Grants and shows prepaid credits", creditsCommand)
	register("payments", "<command>", "Checks the ledger and mends what a lost edge left", paymentsCommand)
	register("warc", "<command>", "Records pages as WARC files, and reads such files", warcCommand)
	register("pay", "<url>", "Requests a URL and pays for it by x402", payCommand)
}

func main() {
	tuneCollector(os.Args)
	caddycmd.Main()
}

// group makes cmd a family of commands: alone it shows its help, and a member that
// it does not have is an error.
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

// oneArgument wants one argument and says which.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%d arguments: want one, %s: %s", len(args), what, cmd.UseLine())
		}
		return nil
	}
}

// register adds a subcommand. Errors are printed by cobra, once, and exit with 1.
func register(name, usage, short string, configure func(*cobra.Command)) {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name: name, Usage: usage, Short: short,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Use = strings.TrimSpace(cmd.Use)
			cmd.SetHelpTemplate(helpTemplate)
			configure(cmd)
		},
	})
}
