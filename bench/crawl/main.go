//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// options are the command-line options of a run.
type options struct {
	server  string
	readme  string
	profile string
	pages   int
	rounds  int
	running int
	colly   int
	short   bool
	only    string
}

const (
	pagesDefault, pagesShort   = 2000, 300
	roundsDefault, roundsShort = 5, 2
	// runningDefault is how many pages of the team are processed at once. It is a setting of the product, as parallelism
	// is one of colly.
	runningDefault = 256
)

func main() {
	err := start(os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "crawl:", err)
		os.Exit(1)
	}
}

// start runs the part of the program that the first argument names. The measurement itself starts the other parts.
func start(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) > 0 {
		switch args[0] {
		case siteArg:
			return siteMain(ctx, args[1:])
		case collyArg:
			return collyMain(args[1:])
		}
	}
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	return measure(ctx, o)
}

func parseOptions(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("crawl", flag.ContinueOnError)
	f.StringVar(&o.server, "server", "../../bin/turnpike", "the `binary` under test")
	f.StringVar(&o.readme, "readme", "../README.md", "the `file` whose table is rewritten; empty: none")
	f.StringVar(&o.profile, "profile", "", "also write a CPU profile of the backend into this `file` (costs a little; writes no table)")
	f.IntVar(&o.pages, "pages", pagesDefault, "pages of the site")
	f.IntVar(&o.rounds, "rounds", roundsDefault, "how often each side has its turn")
	f.IntVar(&o.running, "running", runningDefault, "pages that the product has under way at once")
	f.IntVar(&o.colly, "parallelism", 0, "colly's; 0: the best of several")
	f.StringVar(&o.only, "only", "", "measure one `side` alone, against nothing: "+strings.Join(sideNames(), ", "))
	f.BoolVar(&o.short, "short", false, "a small site, few rounds and loose floors, for CI; writes no table")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if _, known := sideOf(o.only); o.only != "" && !known {
		return o, fmt.Errorf("only: got %q, want one of %s", o.only, strings.Join(sideNames(), ", "))
	}
	if o.short {
		o.pages, o.rounds = pagesShort, roundsShort
	}
	if o.short || o.only != "" || o.profile != "" || o.pages != pagesDefault || o.running != runningDefault || o.colly != 0 {
		o.readme = ""
	}
	return o, errors.Join(atLeast("pages", o.pages, sectionCount+1), atLeast("rounds", o.rounds, 1), atLeast("running", o.running, 1))
}

func atLeast(name string, got, want int) error {
	if got < want {
		return errors.New(name + ": got " + strconv.Itoa(got) + ", want at least " + strconv.Itoa(want))
	}
	return nil
}
