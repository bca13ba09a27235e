package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/reconcile/checks"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
)

func unmatchedCommand(parent *cobra.Command) {
	list := subcommand(parent, "unmatched", "Lists transfers on the chain that match no claim and must be resolved", listUnmatched)
	list.Long = `Lists transfers in the chain's final blocks that match no record: payments to your accounts without a paid claim, and
refunds that are not recorded. They exist if the database was replaced by a copy that lacks its last second. Backends
find them, and so does "turnpike payments reconcile --record". "turnpike payments reconcile" fails until all of them
are resolved.

To record a refund, add its claim to those owed a refund (turnpike payments refunds add), and run "turnpike payments
refunds pay". For a payment, find out what the payer received, and refund it by other means or keep it. Then resolve
it here. Resolving moves no money: it records who resolved the transfer and why.`
	list.Flags().Bool("all", false, "also list transfers that were resolved, or matched to a claim later")
	list.PersistentFlags().Bool("json", false, "print JSON")

	resolve := subcommand(list, "resolve <transaction>:<log> --note <why>", "Marks a transfer as resolved", resolveUnmatched)
	resolve.Args = oneArgument("a transfer as `turnpike payments unmatched` lists it")
	resolve.Flags().String("note", "", "note on what was found and done")
	resolve.Flags().String("by", "", "name of the person who resolves it (default: the current user)")
	requireFlags(resolve, "note")
}

// unmatchedJSON is an unmatched transfer in a list.
type unmatchedJSON struct {
	Transfer string `json:"transfer"`
	Network  string `json:"network"`
	Detail   string `json:"detail"`
	// Amount is in USDC, as a decimal number; Units in the token's smallest unit.
	Amount     string `json:"amount"`
	Units      string `json:"units"`
	PayTo      string `json:"pay_to"`
	Payer      string `json:"payer"`
	Nonce      string `json:"nonce"`
	Claim      string `json:"claim,omitempty"`
	ResolvedBy string `json:"resolved_by,omitempty"`
	Resolution string `json:"resolution,omitempty"`
}

func listUnmatched(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	all, _ := cmd.Flags().GetBool("all")
	found, err := refunds.NewAuditor(pool, nil, time.Now).Unmatched(cmd.Context(), all)
	if err != nil {
		return err
	}
	if asJSON(cmd) {
		out := make([]unmatchedJSON, len(found))
		for i := range found {
			u := &found[i]
			out[i] = unmatchedJSON{
				Transfer: checks.TransferID(u), Network: u.Network, Detail: u.String(), Amount: u.Amount.String(), Units: u.Amount.Units(),
				PayTo: u.PayTo, Payer: u.Payer, Nonce: hexutil.Encode(u.Nonce[:]), Claim: u.Claim, ResolvedBy: u.ResolvedBy, Resolution: u.Resolution,
			}
		}
		return printJSON(cmd.OutOrStdout(), out)
	}
	if len(found) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "No transfers need to be resolved.")
		return nil
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TRANSFER\tNETWORK\tUSDC\tDETAIL\tRESOLVED BY\tNOTE")
	for i := range found {
		u := &found[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", checks.TransferID(u), u.Network, u.Amount, u, orDash(u.ResolvedBy), orDash(u.Resolution))
	}
	return w.Flush()
}

func resolveUnmatched(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error {
	hash, place, _ := strings.Cut(args[0], ":")
	raw, err := hexutil.Decode(hash)
	log, logErr := strconv.ParseUint(place, 10, 31)
	if err != nil || logErr != nil || len(raw) != common.HashLength {
		return fmt.Errorf("transfer %q: want a transaction's hash, a colon and a number, as `turnpike payments unmatched` lists it", args[0])
	}
	note, err := textFlag(cmd, "note", "a note on what was found and done")
	if err != nil {
		return err
	}
	by, err := operatorName(cmd)
	if err != nil {
		return err
	}
	err = refunds.NewAuditor(pool, nil, time.Now).Resolve(cmd.Context(), common.BytesToHash(raw).Hex(), int64(log), by, note)
	if errors.Is(err, refunds.ErrNotUnmatched) {
		return fmt.Errorf("%w: `turnpike payments unmatched` lists them", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s resolved by %s: %s\n", args[0], by, note)
	return nil
}
