package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/reconcile"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// auditSince is how far back the chain and Stripe are asked by default: a month's
// statement.
const auditSince = "31d"

func reconcileCommand(parent *cobra.Command) {
	cmd := subcommand(parent, "reconcile", "Holds the books against each other, and exits with 1 on any difference", reconcileBooks)
	cmd.Long = `Compares, and exits with 1 on any difference or where one could not be looked for:

  ledger            balances with transfers, what is held with open holds, all sums with zero
  claims, ledger    every paid x402 claim with its transfer, every refund with its own
  claims, chain     every x402 claim and refund with what its chain says of it; needs a node
                    of each network
  top-ups, Stripe   every purchase with its payment at Stripe, less refunds and disputes;
                    needs STRIPE_SECRET_KEY

It only reads, and may be run beside a service that is at work.

` + chainsHelp
	cmd.Flags().String("since", auditSince, "how far back the chain and Stripe are asked, such as 12h or 90d")
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
	nodes, err := chainsFromEnv(cmd.Context())
	if err != nil {
		return err
	}
	defer nodes.close()
	auditor := x402.NewAuditor(pool, nodes.Chains, time.Now)
	chain := reconcile.Check{Name: "claims, chain", Skipped: "set " + nodeName + " to compare them"}
	if !nodes.none() {
		chain = checkChain(auditor, time.Now().Add(-since))
	}
	topups, err := checkTopUps(pool, since)
	if err != nil {
		return err
	}
	report, err := reconcile.Run(cmd.Context(), cmd.OutOrStdout(), checkLedger(pool), checkClaims(auditor), chain, topups)
	if err != nil {
		return err
	}
	return report.Err()
}

func checkLedger(pool *pgxpool.Pool) reconcile.Check {
	return reconcile.Check{Name: "ledger", Run: func(ctx context.Context) (reconcile.Result, error) {
		report, err := credits.NewLedger(pool).Audit(ctx)
		result := reconcile.Result{Compared: "transfers, usage, balances, holds", Notes: report.Warnings}
		for _, d := range report.Differences {
			result.Differences = append(result.Differences, reconcile.Difference{Subject: d.TeamID, Detail: d.Detail})
		}
		return result, err
	}}
}

func checkClaims(auditor *x402.Auditor) reconcile.Check {
	return reconcile.Check{Name: "claims, ledger", Run: func(ctx context.Context) (reconcile.Result, error) {
		found, err := auditor.Ledger(ctx)
		return reconcile.Result{Compared: "every paid claim and transfer", Differences: claimDifferences(found)}, err
	}}
}

func checkChain(auditor *x402.Auditor, since time.Time) reconcile.Check {
	return reconcile.Check{Name: "claims, chain", Run: func(ctx context.Context) (reconcile.Result, error) {
		audited, err := auditor.Chain(ctx, since)
		result := reconcile.Result{
			Compared:    fmt.Sprintf("%s since %s", countClaims(audited.Claims), since.UTC().Format(time.DateOnly)),
			Differences: claimDifferences(audited.Differences),
		}
		for _, network := range slices.Sorted(maps.Keys(audited.Elsewhere)) {
			result.Notes = append(result.Notes, fmt.Sprintf("%d claims are on %s, of which no node was asked: set %s%s",
				audited.Elsewhere[network], network, nodePrefix, strings.TrimPrefix(network, "eip155:")))
		}
		return result, err
	}}
}

// countClaims says how many claims were looked at, and where.
func countClaims(byNetwork map[string]int) string {
	total, networks := 0, make([]string, 0, len(byNetwork))
	for _, network := range slices.Sorted(maps.Keys(byNetwork)) {
		total += byNetwork[network]
		networks = append(networks, fmt.Sprintf("%d on %s", byNetwork[network], network))
	}
	if len(networks) < 2 {
		return fmt.Sprintf("%d claims", total)
	}
	return fmt.Sprintf("%d claims (%s)", total, strings.Join(networks, ", "))
}

func claimDifferences(found []x402.Difference) []reconcile.Difference {
	out := make([]reconcile.Difference, 0, len(found))
	for _, d := range found {
		out = append(out, reconcile.Difference{Subject: "claim " + d.Claim, Detail: d.Detail})
	}
	return out
}
