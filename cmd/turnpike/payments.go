package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/instance"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

func paymentsCommand(cmd *cobra.Command) {
	group(cmd)
	reconcileCommand(cmd)
	mismatchesCommand(cmd)
	unmatchedCommand(cmd)
	listPaymentsCommand(cmd)
	refundsCommand(cmd)
	sweep := subcommand(cmd, "sweep", "Voids the holds that lost edges left open, and settles expired holds of jobs", sweepPayments)
	sweep.Long = `Voids the holds that lost edges left open, and settles expired holds of jobs.

An edge is lost if it has been silent for the time in its lost_after setting. To decide this, the command must listen
for two-thirds of that time. If an edge is silent, it prints a message and waits that long.`
}

// judgeEvery is how often `payments sweep` checks for silent edges.
const judgeEvery = 2 * time.Second

func sweepPayments(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	ledger := credits.NewLedger(pool)
	expired, err := ledger.ExpireHolds(cmd.Context())
	if err != nil {
		return err
	}
	if err := awaitLost(cmd, pool); err != nil {
		return err
	}
	voided, err := ledger.Sweep(cmd.Context())
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d holds voided, %d expired.\n", voided, expired)
	return nil
}

// awaitLost returns when it is decided for every silent edge whether it is lost.
func awaitLost(cmd *cobra.Command, pool *pgxpool.Pool) error {
	judge := instance.NewJudge(pool, judgeEvery)
	tick := time.NewTicker(judgeEvery)
	defer tick.Stop()
	for told := false; ; told = true {
		silent, wait, err := judge.Round(cmd.Context())
		if err != nil || silent == 0 {
			return err
		}
		if !told {
			fmt.Fprintf(cmd.ErrOrStderr(), "Silent edges: %d. Deciding whether they are lost takes %s.\n", silent, wait.Round(time.Second))
		}
		select {
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-tick.C:
		}
	}
}

// paymentsShown is the default of --limit: how many payments a list has at most.
const (
	paymentsShown    = 100
	paymentsShownMax = 100_000
)

func listPaymentsCommand(parent *cobra.Command) {
	list := subcommand(parent, "list", "Lists x402 payments, newest first", listPayments)
	list.Long = `Lists x402 payments, newest first, each with the state of its claim:

  claimed, served, settling    in progress
  settled                      paid
  unknown                      sent; edges look for it on the chain
  failed, released, abandoned  not charged
  refund_due                   paid, and a refund is due (see turnpike payments refunds)
  refunded                     paid, and refunded`
	list.Flags().String("state", "", "only payments in this state")
	list.Flags().String("payer", "", "only payments from this wallet, 0x and 40 hexadecimal digits")
	list.Flags().String("since", "", "only payments of the last 12h or 7d, for example, or since a UTC date or RFC 3339 time")
	list.Flags().Int("limit", paymentsShown, "maximum number of payments")
	list.Flags().Bool("json", false, "print JSON")
}

// paymentJSON is a payment in a list.
type paymentJSON struct {
	ID      string `json:"id"`
	State   string `json:"state"`
	Network string `json:"network"`
	Asset   string `json:"asset"`
	Payer   string `json:"payer"`
	PayTo   string `json:"pay_to"`
	// Amount is in USDC, as a decimal number; Units in the token's smallest unit.
	Amount            string     `json:"amount"`
	Units             string     `json:"units"`
	Method            string     `json:"method"`
	URL               string     `json:"url"`
	Operation         string     `json:"operation"`
	Settle            string     `json:"settle"`
	CreatedAt         time.Time  `json:"created_at"`
	Transaction       string     `json:"transaction,omitempty"`
	Reason            string     `json:"reason,omitempty"`
	Note              string     `json:"note,omitempty"`
	RefundTransaction string     `json:"refund_transaction,omitempty"`
	RefundedAt        *time.Time `json:"refunded_at,omitempty"`
}

func listPayments(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	filter, err := paymentsFilter(cmd)
	if err != nil {
		return err
	}
	rows, err := db.New(pool).ListPayments(cmd.Context(), filter)
	if err != nil {
		return fmt.Errorf("listing payments: %w", err)
	}
	if asJSON(cmd) {
		list := make([]paymentJSON, len(rows))
		for i := range rows {
			list[i] = paymentAsJSON(&rows[i])
		}
		return printJSON(cmd.OutOrStdout(), list)
	}
	if len(rows) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), noPayments(cmd))
		return nil
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "CLAIM\tSTATE\tUSDC\tOPERATION\tPAYER\tNETWORK\tCREATED\tTRANSACTION")
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.State, r.Amount, orDash(r.Operation), r.Payer,
			r.Network, timeOr(&r.CreatedAt, "-"), orDash(r.Transaction))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(rows) == int(filter.RowLimit) {
		fmt.Fprintf(cmd.ErrOrStderr(), "There may be more than these %d: set --limit or --since.\n", len(rows))
	}
	return nil
}

// noPayments returns the message for an empty list, which depends on whether a filter was set.
func noPayments(cmd *cobra.Command) string {
	if slices.ContainsFunc([]string{"state", "payer", "since"}, cmd.Flags().Changed) {
		return "No x402 payments match."
	}
	return "There are no x402 payments yet."
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func paymentAsJSON(r *db.ListPaymentsRow) paymentJSON {
	p := paymentJSON{
		ID: r.ID.String(), State: r.State, Network: r.Network, Asset: r.Asset, Payer: r.Payer, PayTo: r.PayTo,
		Amount: r.Amount.String(), Units: r.Amount.Units(), Method: r.Method, URL: r.Uri,
		Operation: r.Operation, Settle: r.Settle, CreatedAt: r.CreatedAt.UTC(), Transaction: r.Transaction, Reason: r.Reason,
		Note: r.OwedNote, RefundedAt: r.RefundedAt,
	}
	if r.RefundTransaction != nil {
		p.RefundTransaction = *r.RefundTransaction
	}
	return p
}

func paymentsFilter(cmd *cobra.Command) (db.ListPaymentsParams, error) {
	var filter db.ListPaymentsParams
	if text, _ := cmd.Flags().GetString("state"); cmd.Flags().Changed("state") {
		if !claims.State(text).Valid() {
			return filter, fmt.Errorf("--state %q: want one of %s", text, joinStates())
		}
		filter.State = &text
	}
	if cmd.Flags().Changed("payer") {
		payer, err := addressFlag(cmd, "payer")
		if err != nil {
			return filter, err
		}
		text := payer.Hex()
		filter.Payer = &text
	}
	if text, _ := cmd.Flags().GetString("since"); cmd.Flags().Changed("since") {
		since, err := parseSince(text, time.Now())
		if err != nil {
			return filter, fmt.Errorf("--since %w", err)
		}
		filter.Since = since
	}
	limit, _ := cmd.Flags().GetInt("limit")
	if limit < 1 || limit > paymentsShownMax {
		return filter, fmt.Errorf("--limit %d: want 1 to %d", limit, paymentsShownMax)
	}
	filter.RowLimit = int32(limit)
	return filter, nil
}

func joinStates() string {
	states := claims.States()
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// addressFlag reads an account's address. In mixed case, its checksum (EIP-55) must be right; otherwise it is a typing
// error.
func addressFlag(cmd *cobra.Command, name string) (common.Address, error) {
	text, _ := cmd.Flags().GetString(name)
	address, err := parseAddress(text)
	if err != nil {
		return address, fmt.Errorf("--%s %w", name, err)
	}
	return address, nil
}

// parseSince parses a time ago such as 7d, a UTC date, or a point in time.
func parseSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	span, err := parseSpan(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q: want a duration such as 7d or 12h, a date such as 2026-01-31, or an RFC 3339 time", text)
	}
	return now.Add(-span).UTC(), nil
}
