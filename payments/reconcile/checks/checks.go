package checks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/reconcile"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
)

// Ledger compares balances with transfers, held credits with open holds, and all sums with zero.
func Ledger(pool *pgxpool.Pool) reconcile.Check {
	return reconcile.Check{Name: "ledger", Run: func(ctx context.Context) (reconcile.Result, error) {
		report, err := credits.NewLedger(pool).Audit(ctx)
		result := reconcile.Result{Compared: "transfers, usage, balances, holds", Notes: report.Warnings}
		for _, d := range report.Differences {
			result.Differences = append(result.Differences, reconcile.Difference{Subject: d.TeamID, Detail: d.Detail})
		}
		return result, err
	}}
}

// Claims compares each paid claim with its transfer.
func Claims(auditor *refunds.Auditor) reconcile.Check {
	return reconcile.Check{Name: "claims, ledger", Run: func(ctx context.Context) (reconcile.Result, error) {
		found, err := auditor.Ledger(ctx)
		return reconcile.Result{Compared: "every paid claim and transfer", Differences: claimDifferences(found)}, err
	}}
}

// Chain compares the claims since a time with their transactions.
func Chain(auditor *refunds.Auditor, since time.Time) reconcile.Check {
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
	return "set " + NodePrefix + strings.TrimPrefix(network, "eip155:")
}

// Statements compares the chain's transfers of our accounts with the claims.
func Statements(auditor *refunds.Auditor, since time.Time) reconcile.Check {
	return reconcile.Check{Name: "chain, claims", Run: func(ctx context.Context) (reconcile.Result, error) {
		audited, err := auditor.Statements(ctx, since)
		result := reconcile.Result{Compared: fmt.Sprintf("%d transfers", audited.Transfers)}
		for i := range audited.Unmatched {
			u := &audited.Unmatched[i]
			result.Differences = append(result.Differences, reconcile.Difference{Subject: "transaction " + TransferID(u), Detail: u.String()})
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

// LostSince is how far back lost payments are reported.
const LostSince = 31 * 24 * time.Hour

// FinalBlocks continues reading the chain's final blocks, and checks again what is missing there.
func FinalBlocks(auditor *refunds.Auditor, logger *slog.Logger) reconcile.Check {
	return reconcile.Check{Name: "claims, final blocks", Run: func(ctx context.Context) (reconcile.Result, error) {
		read := auditor.ReadStatements(ctx)
		found, err := auditor.SecondLook(ctx, logger)
		result := reconcile.Result{Compared: "payments that counted as paid", Differences: claimDifferences(found)}
		lost, amount, lostErr := auditor.Lost(ctx, time.Now().Add(-LostSince))
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

func claimDifferences(found []refunds.Difference) []reconcile.Difference {
	out := make([]reconcile.Difference, 0, len(found))
	for _, d := range found {
		out = append(out, reconcile.Difference{Subject: "claim " + d.Claim, Detail: d.Detail})
	}
	return out
}

// TransferID identifies a transfer by its transaction and its position in the block.
func TransferID(u *refunds.Unmatched) string {
	return u.Transaction + ":" + strconv.FormatInt(u.Log, 10)
}
