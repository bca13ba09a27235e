package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/bench/figures"
)

func (b *bench) report(version string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s; %d schedules of %d teams in four time zones, written in %s. The goal is %d a second.\n\n",
		figures.Machine(version), b.total, teams, b.filled.Round(time.Second), perSecondGoal)
	row := func(what string, due int64, figure string) []string {
		return []string{what, strconv.FormatInt(due, 10), figure}
	}
	text.WriteString(figures.Table([]string{"schedules due, each enqueued once", "claimed", "per second"}, [][]string{
		row("**one connection**", b.alone, fmt.Sprintf("**%.0f**", perSecond(b.alone, b.aloneTook))),
		row(fmt.Sprintf("%d replicas at once", replicas), b.crowd, fmt.Sprintf("%.0f", perSecond(b.crowd, b.crowdTook))),
		row(fmt.Sprintf("%d claimers killed, %d of them in a transaction", b.kills, b.deaths.open), b.amongKilled, "-"),
		row(fmt.Sprintf("the database killed under %d claims", b.crashedOpen), b.amongCrash, "-"),
	}))
	d := &b.deaths
	fmt.Fprintf(&text, "\nThe last that was heard of the killed: %d had locked what was due, %d were writing, %d had written all and not asked for the commit, "+
		"%d were at the commit, %d were between two transactions. They had heard of commits of %d schedules. The database was back in %s.\n",
		d.at[locked], d.at[writing], d.at[written], d.at[committing], d.at[committed]+d.at[looking], d.survived, b.recovered.Round(100*time.Millisecond))
	fmt.Fprintf(&text, "\nThe longest transaction of the one connection, of %d schedules, took %s. How it finds what is due, and what it does with it:\n\n```\n%s\n```\n",
		schedules.ClaimMax, b.slowest.Round(time.Millisecond), b.plan)
	return text.String()
}
