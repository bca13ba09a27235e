package main

import (
	"errors"
	"fmt"
	"os/user"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/stripe"
)

func mismatchesCommand(parent *cobra.Command) {
	list := subcommand(parent, "mismatches", "Lists Stripe payments that could not be credited and must be resolved", listMismatches)
	list.Long = `Lists Stripe payments that were received but not credited, because they differ from what was requested, are a second
payment for the same top-up, or belong to a top-up that is not in this database. "turnpike payments reconcile" fails
until all of them are resolved.

Look at the payment in Stripe's dashboard, and refund it there or grant the credits it paid for (turnpike credits
grant). Then resolve it. Resolving moves no money: it permanently records who resolved the payment and why.`
	list.Flags().Bool("all", false, "also list resolved payments")
	list.PersistentFlags().Bool("json", false, "print JSON")

	resolve := subcommand(list, "resolve <payment> --note <why>", "Marks a payment as resolved", resolveMismatch)
	resolve.Args = oneArgument("the id of a payment as `turnpike payments mismatches` lists it")
	resolve.Flags().String("note", "", "note on what was found and done")
	resolve.Flags().String("by", "", "name of the person who resolves it (default: the current user)")
	requireFlags(resolve, "note")
}

// mismatchJSON is a mismatch in a list.
type mismatchJSON struct {
	PaymentIntentID string          `json:"payment_intent_id"`
	TopupID         string          `json:"topup_id"`
	AmountReceived  int64           `json:"amount_received"` // in the currency's smallest unit
	Currency        string          `json:"currency"`
	CustomerID      string          `json:"customer_id"`
	Livemode        bool            `json:"livemode"`
	Reason          string          `json:"reason"`
	CreatedAt       time.Time       `json:"created_at"`
	Resolution      *resolutionJSON `json:"resolution"`
}

type resolutionJSON struct {
	Note         string    `json:"note"`
	ResolvedBy   string    `json:"resolved_by"`
	DatabaseRole string    `json:"database_role"`
	ResolvedAt   time.Time `json:"resolved_at"`
}

func asMismatchJSON(m *stripe.Mismatch) mismatchJSON {
	out := mismatchJSON{
		PaymentIntentID: m.PaymentIntentID, TopupID: m.TopupID, AmountReceived: m.AmountReceived, Currency: m.Currency,
		CustomerID: m.CustomerID, Livemode: m.Live, Reason: m.Reason, CreatedAt: m.FoundAt,
	}
	if r := m.Resolution; r != nil {
		out.Resolution = &resolutionJSON{Note: r.Note, ResolvedBy: r.By, DatabaseRole: r.Role, ResolvedAt: r.At}
	}
	return out
}

func listMismatches(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	mismatches := stripe.NewMismatches(pool, time.Now)
	list, none := mismatches.Waiting, "No Stripe payments need to be resolved."
	if all, _ := cmd.Flags().GetBool("all"); all {
		list, none = mismatches.All, "All Stripe payments were credited."
	}
	found, err := list(cmd.Context())
	if err != nil {
		return err
	}
	if asJSON(cmd) {
		out := make([]mismatchJSON, len(found))
		for i := range found {
			out[i] = asMismatchJSON(&found[i])
		}
		return printJSON(cmd.OutOrStdout(), out)
	}
	if len(found) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), none)
		return nil
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "PAYMENT\tTOP-UP\tRECEIVED\tMODE\tFOUND\tREASON\tRESOLVED\tBY\tNOTE")
	for i := range found {
		m, mode, at, by, note := &found[i], "test", "-", "-", "-"
		if m.Live {
			mode = "live"
		}
		if r := m.Resolution; r != nil {
			at, by, note = timeOr(&r.At, "-"), r.By, r.Note
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.PaymentIntentID, m.TopupID, received(m), mode, timeOr(&m.FoundAt, "-"), m.Reason, at, by, note)
	}
	return w.Flush()
}

// received returns the amount in Stripe's unit of the currency.
func received(m *stripe.Mismatch) string {
	const dollars = "usd"
	if m.Currency == dollars {
		return fmt.Sprintf("%d cents", m.AmountReceived)
	}
	return fmt.Sprintf("%d %s", m.AmountReceived, m.Currency)
}

// textBytesMax is the longest note, and more than enough for a name.
const textBytesMax = 1000

// textFlag returns the text of a flag that must not be empty. It must be one line, because it is shown in lists.
func textFlag(cmd *cobra.Command, name, what string) (string, error) {
	text, _ := cmd.Flags().GetString(name)
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", fmt.Errorf("--%s is empty: want %s", name, what)
	case len(text) > textBytesMax:
		return "", fmt.Errorf("--%s has %d bytes: want %d or fewer", name, len(text), textBytesMax)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("--%s: want text on one line", name)
	}
	return text, nil
}

func resolveMismatch(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error {
	note, err := textFlag(cmd, "note", "a note on what was found and done")
	if err != nil {
		return err
	}
	by, err := operatorName(cmd)
	if err != nil {
		return err
	}
	m, err := stripe.NewMismatches(pool, time.Now).Resolve(cmd.Context(), args[0], by, note)
	if errors.Is(err, stripe.ErrNoMismatch) {
		return fmt.Errorf("%w: `turnpike payments mismatches` lists them", err)
	}
	if err != nil {
		return err
	}
	if asJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), asMismatchJSON(&m))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s resolved by %s: %s\n", m.PaymentIntentID, m.Resolution.By, m.Resolution.Note)
	return nil
}

// operatorName returns who gives a command: --by, or the user of this machine.
func operatorName(cmd *cobra.Command) (string, error) {
	if cmd.Flags().Changed("by") {
		return textFlag(cmd, "by", "the name of the person who resolves it")
	}
	who, err := user.Current()
	if err != nil || who.Username == "" {
		return "", errors.New("the current user has no name: set --by")
	}
	return who.Username, nil
}
