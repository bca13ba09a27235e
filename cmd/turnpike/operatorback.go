package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// creditsFlag reads --credits.
func creditsFlag(cmd *cobra.Command) (money.Credits, error) {
	amount, _ := cmd.Flags().GetInt64("credits")
	if amount < 1 || amount > creditsMax {
		return 0, fmt.Errorf("--credits %d: want 1 to %d", amount, int64(creditsMax))
	}
	return money.Credits(amount), nil
}

// creditsBackCommands adds the commands that correct mistaken movements.
func creditsBackCommands(cmd *cobra.Command) {
	reverse := subcommand(cmd, "reverse <transfer>", "Reverses a grant or another transfer, only once", reverseTransfer)
	reverse.Args = oneArgument("the number of a transfer as `turnpike credits show` shows it")
	reverse.Flags().String("reason", "", "reason, which is recorded")

	refund := subcommand(cmd, "refund --team <team> --credits <n> --idempotency-key <key>",
		"Refunds credits for usage that should not have been charged", refundUsage)
	refund.Flags().String("team", "", "id of the team")
	refund.Flags().Int64("credits", 0, "number of credits")
	refund.Flags().String("reason", "", "reason, which is recorded")
	refund.Flags().String("idempotency-key", "", "key that identifies the refund, such as a ticket number: with the same key, it is made only once")
	requireFlags(refund, "team", "credits", "idempotency-key")
}

func reverseTransfer(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error {
	transfer, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || transfer < 1 {
		return fmt.Errorf("transfer %q: want its number, as `turnpike credits show` shows it", args[0])
	}
	reason, _ := cmd.Flags().GetString("reason")
	moved, err := credits.NewLedger(pool).Reverse(cmd.Context(), transfer, reason)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	switch {
	case !moved.Made:
		fmt.Fprintf(out, "Transfer %d was reversed before, by transfer %d.\n", transfer, moved.Transfer)
	case moved.Credits < 0:
		fmt.Fprintf(out, "Reversed by transfer %d: took %d credits, of which %d are owed now.\n", moved.Transfer, -moved.Credits, moved.Owed)
	case moved.Credits > 0:
		fmt.Fprintf(out, "Reversed by transfer %d: returned %d credits, of which %d paid what was owed.\n", moved.Transfer, moved.Credits, -moved.Owed)
	default:
		fmt.Fprintf(out, "Reversed by transfer %d.\n", moved.Transfer)
	}
	return nil
}

func refundUsage(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	team, _ := cmd.Flags().GetString("team")
	key, _ := cmd.Flags().GetString("idempotency-key")
	if strings.TrimSpace(key) == "" {
		return fmt.Errorf("--idempotency-key is empty: want a key that identifies this refund")
	}
	amount, err := creditsFlag(cmd)
	if err != nil {
		return err
	}
	reason, _ := cmd.Flags().GetString("reason")
	ledger := credits.NewLedger(pool)
	made, err := ledger.Refund(cmd.Context(), team, amount, key, reason)
	if err != nil {
		return err
	}
	if !made {
		return tellBalance(cmd, ledger, team, "This refund was made before.")
	}
	return tellBalance(cmd, ledger, team, fmt.Sprintf("Refunded %d credits.", amount))
}

// tellBalance prints the result of a command, and the team's balance.
func tellBalance(cmd *cobra.Command, ledger *credits.Ledger, team, done string) error {
	b, err := ledger.Balance(cmd.Context(), team)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s Balance: %d credits\n", done, b.Balance)
	return nil
}
