package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/turnpike-edge/turnpike"
)

func init() {
	register("backend", "", "Runs the web data API and its workers", backendCommand)
	register("dev", "", "Runs everything on this machine, with a demo key and wallet", devCommand)
	register("migrate", "", "Brings the database's schema up to date", migrateCommand)
	register("doctor", "", "Says what is missing on this machine and how to get it", doctorCommand)
	register("teams", "<command>", "Creates and lists teams", teamsCommand)
	register("keys", "<command>", "Creates, lists and revokes API keys", keysCommand)
	register("credits", "<command>", "Grants and shows prepaid credits", creditsCommand)
	register("payments", "<command>", "Checks the ledger and mends what a lost edge left", paymentsCommand)
	register("pay", "<url>", "Requests a URL and pays for it by x402", payCommand)
}

func main() { caddycmd.Main() }

// register adds a subcommand. Errors are printed by cobra, once, and exit with 1.
func register(name, usage, short string, configure func(*cobra.Command)) {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name: name, Usage: usage, Short: short,
		CobraFunc: configure,
	})
}
