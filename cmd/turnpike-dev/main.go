package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/backend/parsers"
	"github.com/turnpike-edge/turnpike/cmd/flagerror"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

func main() {
	if parsers.IsWorker() {
		os.Exit(parsers.Work())
	}
	if command().Execute() != nil { // cobra has printed the error
		os.Exit(1)
	}
}

func command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "turnpike-dev",
		// Help and errors name the command that the docs name.
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "turnpike dev"},
		Long: `Runs everything on this machine: a private Postgres, a development chain with its own USDC, the web
data API and the edge in front of it, with a demo team, API key and wallet. It needs no configuration.
It contacts other machines only to fetch the pages that you request.

The next start uses the same data and the same ports. Only the chain is new each time. If DATABASE_URL is
set, that database is used instead of a private one. If Stripe's test key and webhook secret are set,
credits can also be bought.`,
		Args: cobra.NoArgs, SilenceUsage: true,
	}
	cmd.SetFlagErrorFunc(flagerror.Explain)
	f := cmd.Flags()
	f.Uint16("port", 8080, "`port` of the edge on the loopback interface, or 0 for any free port")
	f.String("data", "", "data directory (default: turnpike in the user's data directory)")
	f.Bool("allow-loopback", false, "allow scraping pages that are served on this machine, on any port")
	f.Bool("verbose", false, "also log information, not only warnings and errors")
	f.Bool("check", false, "only check that this machine has the Postgres binaries, and exit")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if check, _ := cmd.Flags().GetBool("check"); check {
			return checkPostgres(cmd)
		}
		// A second signal ends the process at once.
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop)
		d := &devServer{cmd: cmd, failed: make(chan error, 4)}
		d.port, _ = cmd.Flags().GetUint16("port")
		d.allowLoopback, _ = cmd.Flags().GetBool("allow-loopback")
		d.logger = newLogger(cmd)
		err := d.run(ctx)
		return errors.Join(err, d.stop())
	}
	return cmd
}

// checkPostgres prints which Postgres is used, or returns how to get one. `turnpike doctor` shows it.
func checkPostgres(cmd *cobra.Command) error {
	found, err := postgres.Find(cmd.Context(), postgres.SystemSearch())
	var missing *postgres.NotFoundError
	switch {
	case errors.As(err, &missing):
		return errors.New(missing.Command)
	case err != nil:
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s in %s\n", found.Version, found.Dir)
	return nil
}
