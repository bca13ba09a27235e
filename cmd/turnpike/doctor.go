package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/reconcile/checks"
	"github.com/turnpike-edge/turnpike/payments/stripe"
)

func doctorCommand(cmd *cobra.Command) {
	cmd.Long = `Checks this machine and its settings, and shows the command or setting that fixes each problem. For x402 payments
it checks the node and its chain, the token's domain, the account that receives payments, and the settlers' gas or the
facilitator. It checks those of the configuration in --config, or else of the shipped Caddyfile if its settings are set.

It exits with 1 if ` + "`turnpike dev`" + ` is installed but cannot run on this machine, or if --config is given and x402 payments cannot be accepted.`
	cmd.Args = cobra.NoArgs
	cmd.Flags().String("config", "", "configuration `file`, Caddyfile or JSON, whose x402 payments to check (default: the shipped Caddyfile, if "+
		strings.Join(shippedX402, ", ")+" are set)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
		dev := examineDev(ctx)
		payments, paymentsErr := examineX402(cmd)
		for _, finding := range slices.Concat(
			[]app.Finding{dev},
			app.ExaminePages(ctx),
			[]app.Finding{
				examineProgram("npm client (make interop, contracts)", "npm", "install Node.js 20 or newer"),
				examineDatabase(ctx),
				examineSetting("TURNPIKE_IDENTITY_SECRET", "openssl rand -hex 32"),
				examineSetting("TURNPIKE_CONTENT_SECRET", "openssl rand -hex 32"),
				examineSetting("TURNPIKE_BLOB_URL", "file:///var/lib/turnpike/blobs"),
				examineSetting("TURNPIKE_BASE_URL", "https://api.example.com"),
				examineStripe(),
			},
			app.ExamineWork(),
			payments,
		) {
			mark := "ok"
			if !finding.OK {
				mark = "missing"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\n", mark, finding.Name, finding.Text)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), "\nThe settings are for production; `turnpike dev` needs none of them.")
		if !dev.OK {
			return errors.New("turnpike dev cannot run on this machine")
		}
		return paymentsErr
	}
}

func examineProgram(name, program, remedy string) app.Finding {
	path, err := exec.LookPath(program)
	if err != nil {
		return app.Finding{Name: name, OK: false, Text: remedy}
	}
	return app.Finding{Name: name, OK: true, Text: path}
}

func examineDatabase(ctx context.Context) app.Finding {
	const name = "DATABASE_URL"
	url := os.Getenv(name)
	if url == "" {
		return app.Finding{Name: name, OK: false, Text: "postgres://user:password@host:5432/turnpike"}
	}
	pending, err := db.Pending(ctx, url)
	switch {
	case err != nil:
		return app.Finding{Name: name, OK: false, Text: err.Error()}
	case pending > 0:
		return app.Finding{Name: name, OK: false, Text: fmt.Sprintf("%d migrations are pending: turnpike migrate", pending)}
	default:
		return app.Finding{Name: name, OK: true, Text: "reachable, schema up to date"}
	}
}

func examineSetting(name, example string) app.Finding {
	if os.Getenv(name) == "" {
		return app.Finding{Name: name, OK: false, Text: "e.g. " + example}
	}
	return app.Finding{Name: name, OK: true, Text: "set"}
}

// examineStripe reports whether credits can be bought. Both secrets missing is a valid choice; with only one of them,
// the edge does not start.
func examineStripe() app.Finding {
	const name = "Stripe (top-ups)"
	key, secret := os.Getenv(checks.StripeKeyName), os.Getenv(stripeWebhookName)
	live, known := stripe.LiveKey(key)
	switch {
	case key == "" && secret == "":
		return app.Finding{Name: name, OK: true, Text: "off; to sell credits set " + checks.StripeKeyName + " and " + stripeWebhookName}
	case key == "":
		return app.Finding{Name: name, OK: false, Text: checks.StripeKeyName + " is not set, but " + stripeWebhookName + " is: the edge needs both or neither"}
	case secret == "":
		return app.Finding{Name: name, OK: false, Text: stripeWebhookName + " is not set, but " + checks.StripeKeyName + " is: the edge needs both or neither"}
	case known && !live:
		return app.Finding{Name: name, OK: true, Text: "set, with a test key: no money moves"}
	default:
		return app.Finding{Name: name, OK: true, Text: "set, with a live key"}
	}
}
