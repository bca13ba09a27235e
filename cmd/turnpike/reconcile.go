package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/reconcile"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// auditSince is how far back the chain and Stripe are asked by default: a month's
// statement.
const auditSince = 31 * 24 * time.Hour

func reconcileCommand(parent *cobra.Command) {
	cmd := subcommand(parent, "reconcile", "Holds the books against each other, and exits with 1 on any difference", reconcileBooks)
	cmd.Long = `Compares, and exits with 1 on any difference or where one could not be looked for:

  ledger            balances with transfers, what is held with open holds, all sums with zero
  claims, ledger    every paid x402 claim with its transfer
  claims, chain     every x402 claim with what the chain says of it; needs BASE_RPC_URL
                    (and X402_NETWORK, where that is not base)
  top-ups, Stripe   every purchase with its payment at Stripe, less refunds and disputes;
                    needs STRIPE_SECRET_KEY

It only reads, and may be run beside a service that is at work.`
	cmd.Flags().Duration("since", auditSince, "how far back the chain and Stripe are asked")
}

func reconcileBooks(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	since, _ := cmd.Flags().GetDuration("since")
	if since <= 0 {
		return fmt.Errorf("--since %s: want a duration such as 720h", since)
	}
	node, network, err := chainFromEnv(cmd.Context())
	if err != nil {
		return err
	}
	var caller x402.RPC // nil where no node is named
	if node != nil {
		defer node.Close()
		caller = node
	}
	auditor := x402.NewAuditor(pool, caller, network, time.Now)
	chain := reconcile.Check{Name: "claims, chain", Skipped: "set BASE_RPC_URL to compare them"}
	if node != nil {
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

// chainFromEnv returns the node of BASE_RPC_URL and the network of X402_NETWORK;
// no node where it is not set.
func chainFromEnv(ctx context.Context) (*rpc.Client, x402.Network, error) {
	name := os.Getenv("X402_NETWORK")
	if name == "" {
		name = "base"
	}
	network, ok := x402.KnownNetwork(name)
	if !ok {
		return nil, network, fmt.Errorf("X402_NETWORK is %q: want base, base-sepolia or an id such as eip155:8453", name)
	}
	url := os.Getenv("BASE_RPC_URL")
	if url == "" {
		return nil, network, nil
	}
	node, err := rpc.DialContext(ctx, url)
	if err != nil {
		return nil, network, fmt.Errorf("BASE_RPC_URL: %w", err)
	}
	return node, network, nil
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
			Compared:    fmt.Sprintf("%d claims since %s", audited.Claims, since.UTC().Format(time.DateOnly)),
			Differences: claimDifferences(audited.Differences),
		}
		if audited.Elsewhere > 0 {
			result.Notes = append(result.Notes, fmt.Sprintf("%d claims are on another network or token, which this node was not asked about", audited.Elsewhere))
		}
		return result, err
	}}
}

func claimDifferences(found []x402.Difference) []reconcile.Difference {
	out := make([]reconcile.Difference, 0, len(found))
	for _, d := range found {
		out = append(out, reconcile.Difference{Subject: "claim " + d.Claim, Detail: d.Detail})
	}
	return out
}
