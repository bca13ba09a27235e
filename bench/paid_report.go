//go:build linux

package main

import (
	"errors"
	"fmt"
	"time"
)

// gasSaved is a crowd's gas for each payment, as a part of one that comes alone.
func gasSaved(rounds []paidRound, at int) spread {
	return spreadOf(rounds, func(r paidRound) float64 { return r[at].gasEach() / r[crowdAlone].gasEach() })
}

func paidTable(rounds []paidRound) string {
	head := []string{"payments served and settled"}
	of := func(at int, value func(*paidTurn) float64) spread {
		return spreadOf(rounds, func(r paidRound) float64 { return value(&r[at]) })
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
			fmt.Sprintf("%d of %d, %d times", c.payments, c.payments, len(rounds)), // or the turn is an error
			of(at, func(t *paidTurn) float64 { return float64(t.transactions) }).number(),
			of(at, (*paidTurn).gasEach).number(),
			gasSaved(rounds, at).ratio(),
			of(at, (*paidTurn).perSecond).number(),
			of(at, func(t *paidTurn) float64 { return milliseconds(t.P50) }).number(),
			of(at, func(t *paidTurn) float64 { return milliseconds(t.P99) }).number(),
			fmt.Sprintf("%.1f", of(at, func(t *paidTurn) float64 { return t.each(t.edge) }).median),
			fmt.Sprintf("%.1f", of(at, func(t *paidTurn) float64 { return t.each(t.postgres) }).median),
		} {
			rows[row] = append(rows[row], cell)
		}
	}
	return writeTable(head, rows)
}

// checkPaid returns what falls short. That all are served and settled is a matter of
// each turn, not of the median.
func checkPaid(rounds []paidRound, gasMost float64) error {
	var faults []error
	if got := gasSaved(rounds, crowdLargest).median; got > gasMost {
		faults = append(faults, fmt.Errorf("%d payments at once: %.2f of the gas of a payment alone, want at most %.2f",
			crowds[crowdLargest].atOnce, got, gasMost))
	}
	return errors.Join(faults...)
}
