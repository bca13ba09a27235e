package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

` + chainsHelp
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
	nodes, err := chainsFromEnv(cmd.Context())
	if err != nil {
		return err
	}
	defer nodes.close()
	auditor := x402.NewAuditor(pool, nodes.Chains, time.Now)
	topups, err := checkTopUps(pool, since)
	if err != nil {
		return err
	}
	checks := []reconcile.Check{checkLedger(pool), checkClaims(auditor)}
	if record, _ := cmd.Flags().GetBool("record"); record {
		checks = append(checks, checkFinal(auditor, slog.New(slog.DiscardHandler)))
	}
	checks = append(checks, checkChain(auditor, time.Now().Add(-since)), checkStatements(auditor, time.Now().Add(-since)))
	if nodes.none() {
		for i := range checks[2:] {
			checks[2+i].Skipped = "set " + nodeName + " to compare them"
		}
	}
	report, err := reconcile.Run(cmd.Context(), cmd.OutOrStdout(), append(checks, topups)...)
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
			result.Notes = append(result.Notes, fmt.Sprintf("%d claims on %s were not compared, because no node is set: %s",
				audited.Elsewhere[network], network, setNode(network)))
		}
		return result, err
	}}
}

// setNode returns how to configure a node of a network.
func setNode(network string) string {
	return "set " + nodePrefix + strings.TrimPrefix(network, "eip155:")
}

// checkStatements compares the chain's transfers of our accounts with the claims.
func checkStatements(auditor *x402.Auditor, since time.Time) reconcile.Check {
	return reconcile.Check{Name: "chain, claims", Run: func(ctx context.Context) (reconcile.Result, error) {
		audited, err := auditor.Statements(ctx, since)
		result := reconcile.Result{Compared: fmt.Sprintf("%d transfers", audited.Transfers)}
		for i := range audited.Unmatched {
			u := &audited.Unmatched[i]
			result.Differences = append(result.Differences, reconcile.Difference{Subject: "transaction " + unmatchedID(u), Detail: u.String()})
		}
		for _, network := range audited.Elsewhere {
			result.Notes = append(result.Notes, fmt.Sprintf("payments on %s were not compared, because no node is set: %s", network, setNode(network)))
		}
		if audited.Plain > 0 {
			result.Notes = append(result.Notes, fmt.Sprintf("%d transfers came without an authorisation, so they are not payments: %s units in total",
				audited.Plain, audited.PlainSum))
		}
		if audited.Others > 0 {
			result.Notes = append(result.Notes, fmt.Sprintf("%d transfers left the accounts by authorisations that are not refunds of claims", audited.Others))
		}
		return result, err
	}}
}

// lostSince is how far back lost payments are reported.
const lostSince = 31 * 24 * time.Hour

// checkFinal continues reading the chain's final blocks, and checks again what is missing there.
func checkFinal(auditor *x402.Auditor, logger *slog.Logger) reconcile.Check {
	return reconcile.Check{Name: "claims, final blocks", Run: func(ctx context.Context) (reconcile.Result, error) {
		read := auditor.ReadStatements(ctx)
		found, err := auditor.SecondLook(ctx, logger)
		result := reconcile.Result{Compared: "payments that counted as paid", Differences: claimDifferences(found)}
		lost, amount, lostErr := auditor.Lost(ctx, time.Now().Add(-lostSince))
		if lost > 0 {
			result.Notes = append(result.Notes, fmt.Sprintf("%d payments were lost in the last 31 days, %s USDC in total: "+
				"the chain no longer has them, and their responses were delivered", lost, amount))
		}
		return result, errors.Join(read, err, lostErr)
	}}
}

// countClaims says how many claims were checked, and on which networks.
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
