package main

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

func migrateCommand(cmd *cobra.Command) {
	cmd.Long = "Applies all pending migrations to the database in DATABASE_URL, or in DATABASE_DIRECT_URL if that is set. It is\n" +
		"safe to run at any time and in several processes at once: one migrates while the others wait."
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		url, err := app.DirectURLFromEnv()
		if err != nil {
			return err
		}
		n, err := db.Migrate(cmd.Context(), url)
		if err != nil {
			return err
		}
		if n == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "The schema is up to date.")
			return nil
		}
		fmt.Fprintf(cmd.OutOrStdout(), "The schema is up to date: %d migrations ran.\n", n)
		return nil
	}
}

// subcommand adds a command that uses the database.
func subcommand(parent *cobra.Command, use, short string, run func(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return withPool(cmd.Context(), func(pool *pgxpool.Pool) error { return run(cmd, args, pool) })
	}
	parent.AddCommand(cmd)
	return cmd
}

func requireFlags(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is defined a line above
		}
	}
}

func teamsCommand(cmd *cobra.Command) {
	group(cmd)
	create := subcommand(cmd, "create --name <name>", "Creates a team and prints its id",
		func(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
			name, _ := cmd.Flags().GetString("name")
			if strings.TrimSpace(name) == "" {
				return errors.New("--name is empty: want the name of the team")
			}
			address, err := emailFlag(cmd)
			if err != nil {
				return err
			}
			id, err := createTeam(cmd.Context(), pool, name, address)
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), teamJSON{ID: id, Name: name, Email: address})
			}
			fmt.Fprintln(cmd.OutOrStdout(), id)
			return nil
		})
	create.Flags().String("name", "", "name of the team")
	create.Flags().String("email", "", "email address for receipts")
	create.Flags().Bool("json", false, "print JSON")
	requireFlags(create, "name")

	list := subcommand(cmd, "list", "Lists teams and their balances", listTeams)
	list.Flags().Bool("json", false, "print JSON")
}

// emailFlag returns the address that --email gives, nil for none.
func emailFlag(cmd *cobra.Command) (*string, error) {
	if !cmd.Flags().Changed("email") {
		return nil, nil //nolint:nilnil // none was given
	}
	text, _ := cmd.Flags().GetString("email")
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text || len(text) > emailBytesMax {
		return nil, fmt.Errorf("--email %q: want an address such as billing@example.com", text)
	}
	return &text, nil
}

// emailBytesMax is the longest valid email address (RFC 5321, 4.5.3.1.3).
const emailBytesMax = 254

// teamJSON is a team in a list.
type teamJSON struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Email     *string    `json:"email"`
	Balance   int64      `json:"balance"`
	Held      int64      `json:"held"`
	CreatedAt *time.Time `json:"created_at,omitempty"`
}

func listTeams(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	teams, err := db.New(pool).ListTeams(cmd.Context())
	if err != nil {
		return fmt.Errorf("listing teams: %w", err)
	}
	if asJSON(cmd) {
		list := make([]teamJSON, len(teams))
		for i := range teams {
			t := &teams[i]
			list[i] = teamJSON{ID: t.ID, Name: t.Name, Email: t.Email, Balance: t.Balance, Held: t.Held, CreatedAt: &t.CreatedAt}
		}
		return printJSON(cmd.OutOrStdout(), list)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TEAM\tNAME\tBALANCE\tHELD\tCREATED\tEMAIL")
	for i := range teams {
		t, email := &teams[i], "-"
		if t.Email != nil {
			email = *t.Email
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", t.ID, t.Name, t.Balance, t.Held, timeOr(&t.CreatedAt, "-"), email)
	}
	return w.Flush()
}

func createTeam(ctx context.Context, pool *pgxpool.Pool, name string, email *string) (string, error) {
	id := token.New("team")
	if _, err := db.New(pool).CreateTeam(ctx, db.CreateTeamParams{ID: id, Name: name, Email: email}); err != nil {
		return "", fmt.Errorf("creating team %q: %w", name, err)
	}
	return id, nil
}

// creditsMax bounds one grant: more is probably a typing error, and a few such grants would approach the limit of a
// balance.
const creditsMax = 1_000_000_000_000

func creditsCommand(cmd *cobra.Command) {
	group(cmd)
	grant := subcommand(cmd, "grant --team <team> --credits <n>", "Grants credits to a team",
		func(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
			team, _ := cmd.Flags().GetString("team")
			amount, err := creditsFlag(cmd)
			if err != nil {
				return err
			}
			reason, _ := cmd.Flags().GetString("reason")
			key, _ := cmd.Flags().GetString("idempotency-key")
			if key == "" {
				key = uuid.NewString()
			}
			ledger := credits.NewLedger(pool)
			made, err := ledger.Grant(cmd.Context(), credits.Grant{
				TeamID: team, Amount: amount, Source: credits.SourcePromo, Key: key, Note: reason,
			})
			if err != nil {
				return err
			}
			if !made {
				return tellBalance(cmd, ledger, team, "This grant was made before.")
			}
			return tellBalance(cmd, ledger, team, fmt.Sprintf("Granted %d credits.", amount))
		})
	grant.Flags().String("team", "", "id of the team")
	grant.Flags().Int64("credits", 0, "number of credits")
	grant.Flags().String("reason", "", "reason, which is recorded")
	grant.Flags().String("idempotency-key", "", "key that identifies the grant: with the same key, it is made only once")
	requireFlags(grant, "team", "credits")
	creditsBackCommands(cmd)

	show := subcommand(cmd, "show --team <team>", "Shows a team's credits and latest transfers", showCredits)
	show.Flags().String("team", "", "id of the team")
	requireFlags(show, "team")
}

// transfersShown is how many movements `credits show` lists.
const transfersShown = 10

// statement is a team's account with its movements, all of one moment.
type statement struct {
	credits.Balance

	credited, debited money.Credits
	transfers         []credits.Transfer
}

// readStatement reads one snapshot: otherwise a capture between the reads would make the balance differ from its
// transfers.
func readStatement(ctx context.Context, pool *pgxpool.Pool, team string) (s statement, err error) {
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error {
		ledger := credits.NewLedger(tx)
		if s.Balance, err = ledger.Balance(ctx, team); err != nil {
			return err
		}
		if s.credited, s.debited, err = ledger.Totals(ctx, s.Account); err != nil {
			return err
		}
		s.transfers, err = ledger.Transfers(ctx, s.Account, transfersShown)
		return err
	})
	return s, err
}

func showCredits(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	team, _ := cmd.Flags().GetString("team")
	b, err := readStatement(cmd.Context(), pool, team)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "balance\t%d\n", b.Balance.Balance)
	fmt.Fprintf(w, "held\t%d\n", b.Held)
	fmt.Fprintf(w, "available\t%d\n", b.Available())
	if b.Owed > 0 {
		fmt.Fprintf(w, "owed\t%d\n", b.Owed)
	}
	fmt.Fprintf(w, "ledger\t%d in − %d out = %d\n", b.credited, b.debited, b.credited-b.debited)
	fmt.Fprintln(w)
	for _, t := range b.transfers {
		sign := "−"
		if t.Incoming {
			sign = "+"
		}
		detail := t.Kind
		if t.Operation != "" {
			detail = fmt.Sprintf("%s %s × %d", t.Kind, t.Operation, t.Requests)
		}
		if t.Kind != "usage" {
			detail += fmt.Sprintf("\ttransfer %d", t.ID) // the argument of `credits reverse`
		}
		fmt.Fprintf(w, "%s\t%s%d\t%s\n", t.At.UTC().Format(time.DateTime), sign, t.Amount, detail)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if b.credited-b.debited != b.Balance.Balance-b.Owed {
		return errors.New("the balance differs from the sum of its transfers: run `turnpike payments reconcile`")
	}
	return nil
}
