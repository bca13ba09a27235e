package main

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/reconcile"
	"github.com/turnpike-edge/turnpike/payments/reconcile/checks"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
)

// auditSince is how far back the chain and Stripe are compared by default: a month's statement.
const auditSince = "31d"

func reconcileCommand(parent *cobra.Command) {
	cmd := subcommand(parent, "reconcile", "Checks the ledger, x402 payments and top-ups for differences", reconcileBooks)
	cmd.Long = `Compares records with each other. It exits with 1 if any differ, or if a comparison could not be made:

  ledger            balances with transfers, held credits with open holds, and all sums with zero
  claims, ledger    each paid x402 claim with its transfer, and each refund with its transfer
  claims, chain     each x402 claim and refund with its transaction on the chain; needs a node for
                    each network
  chain, claims     each transfer to an account that receives payments, and each refund from it,
                    with the claim that it belongs to
  top-ups, Stripe   each purchase with its payment at Stripe, minus refunds and disputes; needs
                    STRIPE_SECRET_KEY

It only reads, so it can run while the service is in use. Backends do the same automatically
(TURNPIKE_RECONCILE_EVERY), and record how far they have read. If you run no backend, run this
command with --record: it then also reads the chain's final blocks, records how far it has read,
and records settled payments that the chain no longer has as lost.

` + checks.NodesHelp
	cmd.Flags().String("since", auditSince, "how far back to compare the chain and Stripe, such as 12h or 90d")
	cmd.Flags().Bool("record", false, "also read and record the chain's final blocks, as backends do")
}

func reconcileBooks(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	text, _ := cmd.Flags().GetString("since")
	since, err := parseSpan(text)
	if err != nil {
		return fmt.Errorf("--since %w", err)
	}
	if since == 0 {
		return fmt.Errorf("--since %s: want more than 0", text)
	}
	nodes, err := checks.NodesFromEnv(cmd.Context())
	if err != nil {
		return err
	}
	defer nodes.Close()
	auditor := refunds.NewAuditor(pool, nodes.Chains, time.Now)
	topups, err := checks.TopUps(pool, since)
	if err != nil {
		return err
	}
	all := []reconcile.Check{checks.Ledger(pool), checks.Claims(auditor)}
	if record, _ := cmd.Flags().GetBool("record"); record {
		all = append(all, checks.FinalBlocks(auditor, slog.New(slog.DiscardHandler)))
	}
	all = append(all, checks.Chain(auditor, time.Now().Add(-since)), checks.Statements(auditor, time.Now().Add(-since)))
	if nodes.None() {
		for i := range all[2:] {
			all[2+i].Skipped = "set " + checks.NodeName + " to compare them"
		}
	}
	report, err := reconcile.Run(cmd.Context(), cmd.OutOrStdout(), append(all, topups)...)
	if err != nil {
		return err
	}
	return report.Err()
}
