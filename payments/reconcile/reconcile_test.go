package reconcile

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func found(compared string, notes []string, differences ...Difference) func(context.Context) (Result, error) {
	return func(context.Context) (Result, error) {
		return Result{Compared: compared, Differences: differences, Notes: notes}, nil
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	agree := Check{Name: "ledger", Run: found("12 accounts", []string{"the default partition is not empty"})}
	differ := Check{Name: "claims and chain", Run: found("3 claims", nil, Difference{"claim_1", "is settled, and was not paid"}, Difference{"", "sums differ"})}
	broken := Check{Name: "topups and Stripe", Run: func(context.Context) (Result, error) { return Result{}, errors.New("Stripe is away") }}
	skipped := Check{Name: "topups and Stripe", Skipped: "set STRIPE_SECRET_KEY"}
	tests := []struct {
		name   string
		checks []Check
		want   string
		err    string
	}{
		{"nothing to compare", nil, "", ""},
		{"agreement", []Check{agree}, "ledger: no differences (12 accounts)\n  note: the default partition is not empty\n", ""},
		{
			"differences",
			[]Check{differ, agree},
			"claims and chain: 2 differences (3 claims)\n  claim_1: is settled, and was not paid\n  sums differ\n" +
				"ledger: no differences (12 accounts)\n  note: the default partition is not empty\n",
			"2 differences",
		},
		{"could not ask", []Check{broken}, "topups and Stripe: could not be compared: Stripe is away\n", "1 check failed"},
		{"both", []Check{broken, differ}, "", "2 differences, and 1 check failed"},
		{"skipped", []Check{skipped}, "topups and Stripe: not compared: set STRIPE_SECRET_KEY\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			report, err := Run(t.Context(), &out, tt.checks...)
			if err != nil {
				t.Fatal(err)
			}
			if got := out.String(); tt.want != "" && got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if err := report.Err(); (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
				t.Errorf("got error %v, want %q", err, tt.err)
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRunReportsWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if _, err := Run(t.Context(), fullDisk{}, Check{Name: "ledger", Run: found("", nil)}); err == nil {
		t.Error("got no error, want the disk's")
	}
}
