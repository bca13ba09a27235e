//go:build linux

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/bench/figures"
)

// gasSaved is a crowd's gas per payment, relative to that of a single payment.
func gasSaved(rounds []paidRound, at int) figures.Spread {
	return figures.SpreadOf(rounds, func(r paidRound) float64 { return r[at].gasEach() / r[crowdAlone].gasEach() })
}

func paidTable(rounds []paidRound) string {
	head := []string{"payments served and settled"}
	of := func(at int, value func(*paidTurn) float64) figures.Spread {
		return figures.SpreadOf(rounds, func(r paidRound) float64 { return value(&r[at]) })
	}
	milliseconds := func(d time.Duration) float64 { return float64(d.Milliseconds()) }
	rows := [][]string{
		{"**served, and settled by one transfer each**"},
		{"transactions"},
		{"**gas of one payment**"},
		{"gas, to that of a payment alone"},
		{"payments per second"},
		{"latency p50, ms"},
		{"latency p99, ms"},
		{"CPU ms of one payment: edge"},
		{"CPU ms of one payment: Postgres"},
	}
	for at, c := range crowds {
		head = append(head, fmt.Sprintf("%d at once", c.atOnce))
		for row, cell := range []string{
			fmt.Sprintf("%d of %d, %d times", c.payments, c.payments, len(rounds)), // otherwise the turn is an error
			of(at, func(t *paidTurn) float64 { return float64(t.transactions) }).Number(),
			of(at, (*paidTurn).gasEach).Number(),
			gasSaved(rounds, at).Ratio(),
			of(at, (*paidTurn).perSecond).Number(),
			of(at, func(t *paidTurn) float64 { return milliseconds(t.P50) }).Number(),
			of(at, func(t *paidTurn) float64 { return milliseconds(t.P99) }).Number(),
			fmt.Sprintf("%.1f", of(at, func(t *paidTurn) float64 { return t.each(t.edge) }).Median),
			fmt.Sprintf("%.1f", of(at, func(t *paidTurn) float64 { return t.each(t.postgres) }).Median),
		} {
			rows[row] = append(rows[row], cell)
		}
	}
	return figures.Table(head, rows)
}

// checkPaid returns the missed limits. Each turn itself checks that all payments are served and settled.
func checkPaid(rounds []paidRound, gasMost float64) error {
	var faults []error
	if got := gasSaved(rounds, crowdLargest).Median; got > gasMost {
		faults = append(faults, fmt.Errorf("%d payments at once: %.2f of the gas of a payment alone, want at most %.2f",
			crowds[crowdLargest].atOnce, got, gasMost))
	}
	return errors.Join(faults...)
}
