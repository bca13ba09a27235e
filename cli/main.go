// Command turnpike-cli uses a Turnpike web data service from a shell, by API key or by wallet. Where it is installed beside
// turnpike, `turnpike scrape` and the other verbs start it.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	turnpike "github.com/turnpike-edge/turnpike/sdk/go"
)

// Exit codes.
const (
	exitFailed       = 1 // anything else
	exitUsage        = 2 // wrong arguments, or a request that is not valid
	exitUnauthorized = 3 // the key is not valid, or may not do this
	exitUnpaid       = 4 // too few credits, or more than the limit
	exitNotFound     = 5
	exitBusy         = 6 // too many requests, or the service is not available
	exitJob          = 7 // the job ended without a result
	exitInterrupted  = 130
)

var (
	errUsage = errors.New("usage")
	errCost  = errors.New("more than --max-cost")
	errJob   = errors.New("the job failed")
)

func main() {
	// A second signal ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	cmd := command()
	err := cmd.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "Error:", strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
	}
	os.Exit(exitCode(ctx, err)) //nolint:forbidigo // this is the main function
}

func exitCode(ctx context.Context, err error) int {
	if err != nil && ctx.Err() != nil {
		return exitInterrupted
	}
	for _, c := range []struct {
		err  error
		code int
	}{
		{errUsage, exitUsage},
		{turnpike.ErrInvalidRequest, exitUsage},
		{turnpike.ErrAuthentication, exitUnauthorized},
		{turnpike.ErrPermission, exitUnauthorized},
		{errCost, exitUnpaid},
		{turnpike.ErrCredits, exitUnpaid},
		{turnpike.ErrPayment, exitUnpaid},
		{turnpike.ErrSpendingCap, exitUnpaid},
		{turnpike.ErrNotFound, exitNotFound},
		{turnpike.ErrRateLimit, exitBusy},
		{turnpike.ErrFetchFailed, exitBusy},
		{turnpike.ErrServer, exitBusy},
		{errJob, exitJob},
	} {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	if err != nil {
		return exitFailed
	}
	return 0
}

const long = `Uses a Turnpike web data service, by API key or by wallet.

Environment variables:
  TURNPIKE_URL         URL of the service (default: http://localhost:8080, where "turnpike dev" is)
  TURNPIKE_KEY         API key
  TURNPIKE_WALLET_KEY  private key of a wallet, which pays by x402 if there is no API key

Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 not authorized, 4 not paid for, 5 not found, 6 too many requests or not
available, 7 the job ended without a result, 130 interrupted.`

func command() *cobra.Command {
	name := "turnpike-cli"
	if as := os.Getenv(asName); as != "" { // help and errors name the command that the user typed
		name = as
	}
	root := &cobra.Command{
		Use: "turnpike-cli", Long: long, Version: turnpike.Version, SilenceUsage: true, SilenceErrors: true,
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: name},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w: %w", errUsage, err) })
	f := root.PersistentFlags()
	f.String("url", "", "`URL` of the service (default: TURNPIKE_URL)")
	f.String("key", "", "API `key` (default: TURNPIKE_KEY)")
	f.Bool("wallet", false, "pay with the wallet of TURNPIKE_WALLET_KEY although there is an API key")
	f.String("max-cost", "", "refuse what may cost more than this many `USD`; 0.001 is a credit (default: no limit with a key, 1 with a wallet)")
	f.BoolP("quiet", "q", false, "show neither progress nor cost")
	root.AddCommand(scrapeCommand(), searchCommand(), askCommand(), mapCommand(), crawlCommand(), batchCommand(), monitorCommand(), mcpCommand())
	for _, cmd := range root.Commands() {
		explainArgs(cmd)
	}
	return root
}

// asName is the variable in which turnpike says how it was called.
const asName = "TURNPIKE_CLI_NAME"

// explainArgs makes wrong arguments of a command and its subcommands usage errors.
func explainArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return fmt.Errorf("%w: %w; usage: %s", errUsage, err, cmd.UseLine())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		explainArgs(sub)
	}
}

// session is what a command has of its flags and its environment.
type session struct {
	*turnpike.Client

	cmd    *cobra.Command
	wallet *turnpike.Wallet // nil with a key
	url    string
	key    string
	max    *turnpike.USDC // what is left of --max-cost; nil: no limit
	call   turnpike.Call
}

const (
	defaultURL     = "http://localhost:8080"
	walletMaxSpend = turnpike.USDC(1_000_000)
)

// open reads the flags that all commands have.
func open(cmd *cobra.Command) (*session, error) {
	s := &session{cmd: cmd}
	flags := cmd.Flags()
	value := func(flag, variable string) string {
		if text, _ := flags.GetString(flag); text != "" {
			return text
		}
		return os.Getenv(variable)
	}
	s.url, s.key = value("url", "TURNPIKE_URL"), value("key", "TURNPIKE_KEY")
	if s.url == "" {
		s.url = defaultURL
	}
	if text, _ := flags.GetString("max-cost"); text != "" {
		most, err := turnpike.ParseUSDC(text)
		if s.max = &most; err != nil || most == 0 {
			return nil, fmt.Errorf("%w: --max-cost %q: want an amount in USD above 0, such as 0.05", errUsage, text)
		}
	}
	cfg := turnpike.Config{BaseURL: s.url, Key: s.key, UserAgent: "turnpike-cli/" + turnpike.Version}
	if byWallet, _ := flags.GetBool("wallet"); byWallet || s.key == "" {
		key := os.Getenv("TURNPIKE_WALLET_KEY")
		if key == "" {
			return nil, fmt.Errorf("%w: no API key and no wallet: set TURNPIKE_KEY or TURNPIKE_WALLET_KEY, or use --key", errUsage)
		}
		most := walletMaxSpend
		if s.max != nil {
			most = *s.max
		}
		var err error
		if s.wallet, err = turnpike.NewWallet(turnpike.WalletConfig{PrivateKey: key, MaxSpend: most, MaxPerCall: most}); err != nil {
			return nil, fmt.Errorf("%w: TURNPIKE_WALLET_KEY: %w", errUsage, err)
		}
		cfg.Key, cfg.Wallet, s.key = "", s.wallet, ""
	}
	var err error
	if s.Client, err = turnpike.New(cfg); err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	return s, nil
}

// afford refuses a request that may cost more than --max-cost. A wallet's own cap refuses it before it signs.
func (s *session) afford(ask func() (*turnpike.Quote, error)) error {
	if s.max == nil || s.wallet != nil {
		return nil
	}
	quote, err := ask()
	if err != nil {
		return err
	}
	price := turnpike.USDC(math.Round(quote.USD * 1e6))
	if price > *s.max {
		return fmt.Errorf("%w: it may cost %d credits, %s USD, and %s are left", errCost, quote.Credits, price, s.max)
	}
	*s.max -= price
	return nil
}

// report makes the call's cost known to tell.
func (s *session) report() turnpike.Option { return turnpike.Report(&s.call) }

// tell shows what the last call cost.
func (s *session) tell() {
	switch {
	case s.call.USDC > 0:
		s.say("paid %s USDC, transaction %s", s.call.USDC, s.call.Transaction)
	case s.call.Credits > 0:
		s.say("credits used: %d, left: %d", s.call.Credits, s.call.CreditsRemaining)
	}
}

// say writes a line for people to standard error.
func (s *session) say(text string, args ...any) {
	if quiet, _ := s.cmd.Flags().GetBool("quiet"); !quiet {
		fmt.Fprintf(s.cmd.ErrOrStderr(), text+"\n", args...)
	}
}
