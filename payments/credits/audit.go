package credits

import (
	"context"
	"fmt"
)

// Difference is an inconsistency that a check of the ledger found.
type Difference struct {
	TeamID string // empty: concerns a whole unit, or no team
	Detail string
}

// Report is what an audit found.
type Report struct {
	// Differences are errors: money or credits on which the books disagree.
	Differences []Difference
	// Warnings are not errors, but need an operator's attention.
	Warnings []string
}

func (r *Report) differsf(team, format string, args ...any) {
	r.Differences = append(r.Differences, Difference{TeamID: team, Detail: fmt.Sprintf(format, args...)})
}

// Audit checks the ledger for inconsistencies:
//
//   - per unit, all movements sum to zero over known accounts of that unit;
//   - per customer, available minus owed plus all open holds (of requests and of jobs) equals the sum of its movements;
//   - a job's ended hold matches the usage recorded under it, and a job's open hold has no usage yet;
//   - a transfer is between accounts of its unit, and a reversal is the opposite of the transfer that it reverses.
//
// Each comparison is one statement and so sees one moment: Audit can run while the ledger is in use.
func (l *Ledger) Audit(ctx context.Context) (Report, error) {
	var r Report
	for _, part := range []struct {
		doing string
		audit func(context.Context, *Report) error
	}{
		{"computing the trial balance", l.auditUnits},
		{"comparing balances", l.auditAccounts},
		{"comparing holds", l.auditHolds},
		{"comparing transfers", l.auditTransfers},
		{"checking partitions", l.auditPartitions},
	} {
		if err := part.audit(ctx, &r); err != nil {
			return Report{}, fmt.Errorf("%s: %w", part.doing, err)
		}
	}
	return r, nil
}

// Check returns the differences that [Ledger.Audit] finds; nil if there are none.
func (l *Ledger) Check(ctx context.Context) ([]Difference, error) {
	r, err := l.Audit(ctx)
	return r.Differences, err
}

func (l *Ledger) auditUnits(ctx context.Context, r *Report) error {
	totals, err := l.q.TrialBalance(ctx)
	for _, t := range totals {
		if t.Total != 0 {
			r.differsf("", "movements in %s sum to %d, want 0", t.Unit, t.Total)
		}
	}
	return err
}

func (l *Ledger) auditAccounts(ctx context.Context, r *Report) error {
	rows, err := l.q.ListAccountsOutOfBalance(ctx)
	for _, a := range rows {
		r.differsf(a.TeamID, "available %d less owed %d plus open holds of %d is %d, but the movements sum to %d",
			a.Available, a.Owed, a.OpenHolds, a.Available-a.Owed+a.OpenHolds, a.TransfersBalance)
	}
	return err
}

func (l *Ledger) auditHolds(ctx context.Context, r *Report) error {
	rows, err := l.q.ListHoldsOutOfLine(ctx)
	for _, h := range rows {
		r.differsf(h.TeamID, "hold %s of job %q is %s and captured %d credits for %d items, but usage has %d credits for %d items",
			h.ID, h.JobID, h.State, h.Captured, h.Captures, h.Used, h.Uses)
	}
	return err
}

func (l *Ledger) auditTransfers(ctx context.Context, r *Report) error {
	rows, err := l.q.ListTransfersOutOfLine(ctx)
	for _, t := range rows {
		if t.IsMixed {
			r.differsf("", "transfer %d is between accounts that do not exist or have another unit", t.ID)
		} else {
			r.differsf("", "transfer %d is not the opposite of transfer %d, which it reverses", t.ID, t.Reverses)
		}
	}
	return err
}

func (l *Ledger) auditPartitions(ctx context.Context, r *Report) error {
	n, err := l.q.CountUsageOfNoMonth(ctx)
	if n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"%d rows of usage are in ledger_usage_default: their month had no partition when they were written", n))
	}
	return err
}
