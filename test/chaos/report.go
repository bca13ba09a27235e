package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// violationsShown bounds what is printed: one fault can break the books in thousands of places.
const violationsShown = 40

// print writes the figures and the violations.
func (f *findings) print(out io.Writer, took time.Duration) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name string, value any, note string) { fmt.Fprintf(w, "%s\t%v\t%s\n", name, value, note) }
	row("time under load", took.Round(time.Second), "")
	row("kills", len(f.absences), counts(f.kills()))
	row("  longest away", f.longestAbsence("edge").Round(time.Millisecond), "an edge; postgres "+
		f.longestAbsence("postgres").Round(time.Millisecond).String())
	s := &f.spent
	row("served by key", s.served.requests, fmt.Sprintf("for %d credits", s.served.credits))
	row("charged", s.charged.requests, fmt.Sprintf("%d credits", s.charged.credits))
	gap := s.served.minus(s.charged)
	row("served − charged", gap.requests, fmt.Sprintf("%d credits; %d requests of %d credits were in flight at the kills of their edges",
		gap.credits, s.inFlight.requests, s.inFlight.credits))
	row("  the earliest", s.earliestGiven.Round(time.Millisecond), "before the kill of its edge")
	row("  most for one key", s.widest.requests, fmt.Sprintf("of %d that were in flight or not yet captured", s.widestBound.requests))
	row("refused, 402", s.broke, "teams without credits")
	row("authorised", s.holds, fmt.Sprintf("%d of them for requests that were not answered with 200, none charged", s.unanswered))
	for name, statuses := range s.statuses {
		row("answers for "+name, counts(named(statuses)), "")
	}
	row("503 without a database", len(f.outage.refusals), distribution(f.outage.refusals))
	row("served again after it", len(f.outage.recoveries), distribution(f.outage.recoveries))
	row("a locked account", f.lockedFor.Round(time.Millisecond), fmt.Sprintf("503 for its team: %d; answers to others: %d, none for %s at the longest",
		f.outage.locked, f.outage.beside, f.outage.stalled.Round(time.Millisecond)))
	b := &f.bought
	row("payments by x402", b.payments, counts(b.answers))
	row("  settled", b.settled, fmt.Sprintf("and %d refunds due, %d paid, %d of both served just before a kill; sent again %d times", b.refunds, b.refunded, b.given, b.resent))
	row("  on each network", fmt.Sprint(f.settledOn), fmt.Sprintf("with those of repetitions; an edge was asked %d times that does not settle on it", f.repeats.elsewhere))
	t := &f.toppedUp
	row("purchases by card", t.purchases, counts(t.answers))
	row("  charged", t.charged, fmt.Sprintf("%s USD for %d credits; %d requests were answered with %s", t.cents, t.credited, t.asked, counts(named(t.statuses))))
	r := &f.repeats
	row("things asked for repeatedly", r.things, fmt.Sprintf("%d by wallet; clients left %d times", r.byWallet, r.left))
	row("  answered", r.given, fmt.Sprintf("%d things were given just before a kill, and are not paid", r.unpaid))
	row("  for nothing, of what is paid", r.freeKeys+r.freeCoins, fmt.Sprintf("%d by key, %d by wallet", r.freeKeys, r.freeCoins))
	row("  for nothing, of what is not", r.stolen, "")
	row("reloads of x402 alone", f.reloads, "")
	row("jobs of the upstreams", f.jobs, "")
	row("violations", len(f.violations), "")
	_ = w.Flush()
	for i, v := range f.violations {
		if i == violationsShown {
			fmt.Fprintf(out, "… and %d more\n", len(f.violations)-i)
			break
		}
		fmt.Fprintln(out, "VIOLATION", v)
	}
}

// named replaces statuses by words.
func named(statuses map[int]int) map[string]int {
	names := make(map[string]int, len(statuses))
	for status, n := range statuses {
		if status == 0 {
			names["cut off"] = n
			continue
		}
		names[fmt.Sprintf("%d %s", status, http.StatusText(status))] = n
	}
	return names
}

func counts(of map[string]int) string {
	parts := make([]string, 0, len(of))
	for name, n := range of {
		parts = append(parts, fmt.Sprintf("%s: %d", strings.TrimSpace(name), n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// quantile returns the smallest value that at least percent % of the values do not exceed.
func quantile(of []time.Duration, percent int) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[(len(sorted)*percent+99)/100-1] // the nearest rank
}

func distribution(of []time.Duration) string {
	if len(of) == 0 {
		return "none"
	}
	const step = time.Millisecond / 10
	return fmt.Sprintf("p50 %s, p99 %s, longest %s", quantile(of, 50).Round(step), quantile(of, 99).Round(step), slices.Max(of).Round(step))
}
