package reconcile

import (
	"context"
	"fmt"
	"io"
)

// Difference is one place where two books disagree.
type Difference struct {
	// Subject is what it concerns: a team, a claim, a top-up. Empty: everything.
	Subject string
	Detail  string
}

// Result is what a completed check has found.
type Result struct {
	// Compared says what was compared, for people: "1204 claims".
	Compared    string
	Differences []Difference
	// Notes are information for an operator that is not a difference.
	Notes []string
}

// Check compares one pair of books.
type Check struct {
	// Name of the pair: "ledger", "claims and chain".
	Name string
	Run  func(ctx context.Context) (Result, error)
	// Skipped, if not empty, says what is missing to run it; Run may be nil then.
	Skipped string
}

// Report sums up a reconciliation.
type Report struct {
	Differences int
	// Failed is how many checks could not be completed.
	Failed int
}

// Err returns nil if everything that was compared agrees.
func (r Report) Err() error {
	switch {
	case r.Differences > 0 && r.Failed > 0:
		return fmt.Errorf("%s, and %s failed", count(r.Differences), checks(r.Failed))
	case r.Differences > 0:
		return fmt.Errorf("%s", count(r.Differences))
	case r.Failed > 0:
		return fmt.Errorf("%s failed", checks(r.Failed))
	}
	return nil
}

func count(n int) string {
	if n == 1 {
		return "1 difference"
	}
	return fmt.Sprintf("%d differences", n)
}

func checks(n int) string {
	if n == 1 {
		return "1 check"
	}
	return fmt.Sprintf("%d checks", n)
}

// Run runs all checks, even after one has failed, and writes what they find to w.
func Run(ctx context.Context, w io.Writer, checks ...Check) (Report, error) {
	var report Report
	var out errWriter
	out.w = w
	for _, c := range checks {
		if c.Skipped != "" {
			out.printf("%s: not compared: %s\n", c.Name, c.Skipped)
			continue
		}
		result, err := c.Run(ctx)
		switch {
		case err != nil:
			report.Failed++
			out.printf("%s: could not be compared: %v\n", c.Name, err)
			continue
		case len(result.Differences) == 0:
			out.printf("%s: no differences (%s)\n", c.Name, result.Compared)
		default:
			report.Differences += len(result.Differences)
			out.printf("%s: %s (%s)\n", c.Name, count(len(result.Differences)), result.Compared)
		}
		for _, d := range result.Differences {
			if d.Subject == "" {
				out.printf("  %s\n", d.Detail)
				continue
			}
			out.printf("  %s: %s\n", d.Subject, d.Detail)
		}
		for _, note := range result.Notes {
			out.printf("  note: %s\n", note)
		}
	}
	return report, out.err
}

// errWriter keeps the first error of many writes.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}
