package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
)

func keysCommand(cmd *cobra.Command) {
	group(cmd)
	create := subcommand(cmd, "create --team <team>", "Creates an API key and prints it", createKey)
	create.Long = "Creates an API key and prints it on standard output. It cannot be shown again, because only its hash is stored.\n" +
		"Without --scopes, it gets the scopes read and write. A team's first key also gets billing, to buy credits and create keys."
	create.Flags().String("team", "", "id of the team")
	create.Flags().String("name", "", "name of the key")
	create.Flags().StringSlice("scopes", nil, "scopes of the key, separated by commas: read, write, billing")
	create.Flags().String("expires", "", "when the key expires: after a duration such as 90d or 12h, or at a UTC date or RFC 3339 time (default: never)")
	requireFlags(create, "team")

	list := subcommand(cmd, "list --team <team>", "Lists a team's keys", listKeys)
	list.Flags().String("team", "", "id of the team")
	requireFlags(list, "team")

	const whichKey = "the id of a key as `turnpike keys list` shows it"
	rotate := subcommand(cmd, "rotate <key id>", "Replaces a key with a new one, and prints the new one", rotateKey)
	rotate.Long = "Creates a key with the name and scopes of another one, and prints it on standard output. It cannot be shown again.\n" +
		"The old key continues to work during the overlap, so that clients can switch to the new one. If the old key\n" +
		"expires, the new one gets the same lifetime, starting now."
	rotate.Flags().String("overlap", "24h", "how long the old key continues to work: a duration such as 24h or 7d, up to 30d; 0 disables it at once")
	rotate.Args = oneArgument(whichKey)

	revoke := subcommand(cmd, "revoke <key id>", "Revokes a key, from the next request on", revokeKey)
	revoke.Args = oneArgument(whichKey)

	for _, c := range []*cobra.Command{create, list, rotate, revoke} {
		c.Flags().Bool("json", false, "print JSON")
	}
}

func createKey(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	team, _ := cmd.Flags().GetString("team")
	name, _ := cmd.Flags().GetString("name")
	names, _ := cmd.Flags().GetStringSlice("scopes")
	scopes, err := apikey.ParseScopes(names)
	if err != nil {
		return fmt.Errorf("--scopes: %w", err)
	}
	if scopes == 0 && cmd.Flags().Changed("scopes") {
		return fmt.Errorf("--scopes is empty: want some of %s", strings.Join(apikey.ScopeNames(), ", "))
	}
	n := apikey.NewKey{TeamID: team, Name: name, Scopes: scopes}
	if text, _ := cmd.Flags().GetString("expires"); text != "" {
		at, err := parseExpiry(text, time.Now())
		if err != nil {
			return fmt.Errorf("--expires %w", err)
		}
		n.ExpiresAt = &at
	}
	key, err := apikey.NewIssuer(pool).Create(cmd.Context(), n)
	if err != nil {
		return err
	}
	return printMade(cmd, &key)
}

func rotateKey(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error {
	text, _ := cmd.Flags().GetString("overlap")
	overlap, err := parseSpan(text)
	if err != nil {
		return fmt.Errorf("--overlap %w", err)
	}
	key, err := apikey.NewIssuer(pool).Rotate(cmd.Context(), apikey.Rotation{KeyID: args[0], Overlap: overlap})
	if err != nil {
		return err
	}
	return printMade(cmd, &key)
}

// madeJSON is a new key as JSON, the only place that shows its text.
type madeJSON struct {
	ID           string     `json:"id"`
	Key          string     `json:"key"`
	Name         string     `json:"name"`
	Scopes       []string   `json:"scopes"`
	CreatedAt    time.Time  `json:"created_at"`
	ExpiresAt    *time.Time `json:"expires_at"`
	RotatedFrom  string     `json:"rotated_from,omitempty"`
	OldExpiresAt *time.Time `json:"old_expires_at,omitempty"`
}

// printMade prints only the key on standard output, so that it can be piped, and the details on standard error.
func printMade(cmd *cobra.Command, key *apikey.Created) error {
	if asJSON(cmd) {
		made := madeJSON{
			ID: key.ID, Key: key.Key, Name: key.Name, Scopes: key.Scopes.Names(), CreatedAt: key.CreatedAt.UTC(),
			ExpiresAt: key.ExpiresAt, RotatedFrom: key.RotatedFrom,
		}
		if key.RotatedFrom != "" {
			made.OldExpiresAt = &key.OldExpiresAt
		}
		return printJSON(cmd.OutOrStdout(), made)
	}
	fmt.Fprintln(cmd.OutOrStdout(), key.Key)
	end := "does not expire"
	if key.ExpiresAt != nil {
		end = "expires on " + key.ExpiresAt.UTC().Format(time.RFC3339)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: save the key now, because only its hash is stored. It has the scopes %s and %s.\n", key.ID, key.Scopes, end)
	if key.RotatedFrom != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s, which it replaces, expires on %s.\n", key.RotatedFrom, key.OldExpiresAt.UTC().Format(time.RFC3339))
	}
	return nil
}

// keyJSON is a key in a list.
type keyJSON struct {
	ID          string     `json:"id"`
	Prefix      string     `json:"prefix"`
	Name        string     `json:"name"`
	Scopes      []string   `json:"scopes"`
	CreatedAt   time.Time  `json:"created_at"`
	ExpiresAt   *time.Time `json:"expires_at"`
	LastUsedAt  *time.Time `json:"last_used_at"`
	RevokedAt   *time.Time `json:"revoked_at"`
	RotatedFrom string     `json:"rotated_from,omitempty"`
	ReplacedBy  string     `json:"replaced_by,omitempty"`
}

func listKeys(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	team, _ := cmd.Flags().GetString("team")
	if _, err := credits.NewLedger(pool).Balance(cmd.Context(), team); err != nil {
		return err // there is no such team; a list of its keys would just be empty
	}
	keys, err := apikey.NewIssuer(pool).List(cmd.Context(), team)
	if err != nil {
		return err
	}
	if asJSON(cmd) {
		list := make([]keyJSON, len(keys))
		for i := range keys {
			k := &keys[i]
			list[i] = keyJSON{
				ID: k.ID, Prefix: strings.TrimSuffix(k.Display, "…"), Name: k.Name, Scopes: k.Scopes.Names(), CreatedAt: k.CreatedAt.UTC(),
				ExpiresAt: k.ExpiresAt, LastUsedAt: k.LastUsedAt, RevokedAt: k.RevokedAt, RotatedFrom: k.RotatedFrom, ReplacedBy: k.ReplacedBy,
			}
		}
		return printJSON(cmd.OutOrStdout(), list)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "KEY\tPREFIX\tNAME\tSCOPES\tCREATED\tLAST USED\tEXPIRES\tREVOKED\tREPLACED BY")
	for i := range keys {
		k := &keys[i]
		replaced := k.ReplacedBy
		if replaced == "" {
			replaced = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Display, k.Name, k.Scopes, timeOr(&k.CreatedAt, "-"),
			timeOr(k.LastUsedAt, "never"), timeOr(k.ExpiresAt, "never"), timeOr(k.RevokedAt, "-"), replaced)
	}
	return w.Flush()
}

func revokeKey(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error {
	at, err := apikey.NewIssuer(pool).Revoke(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if asJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), map[string]any{"id": args[0], "revoked_at": at.UTC()})
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s revoked at %s\n", args[0], at.UTC().Format(time.RFC3339))
	return nil
}

func timeOr(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return t.UTC().Format(time.DateTime)
}

func asJSON(cmd *cobra.Command) bool {
	wanted, _ := cmd.Flags().GetBool("json")
	return wanted
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// spanMax is about ten years: a longer span is probably a typing error.
const spanMax = 3660 * 24 * time.Hour

// parseSpan reads a time such as 90d, 12h or 0, in whole seconds.
func parseSpan(text string) (time.Duration, error) {
	span, err := time.ParseDuration(text)
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		var n uint64
		if n, err = strconv.ParseUint(days, 10, 16); err == nil {
			span = time.Duration(n) * 24 * time.Hour
		}
	}
	if err != nil || span < 0 || span > spanMax || span%time.Second != 0 {
		return 0, fmt.Errorf("%q: want a duration such as 90d, 12h or 30m, at most ten years", text)
	}
	return span, nil
}

// parseExpiry parses when a key ends: a span from now, a date (its beginning in UTC), or a point in time.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		span, err := parseSpan(text)
		if err != nil {
			return time.Time{}, fmt.Errorf("%q: want a duration such as 90d or 12h, a date such as 2030-01-31, or an RFC 3339 time", text)
		}
		at = now.Add(span)
	}
	if !at.After(now) {
		return time.Time{}, fmt.Errorf("%q: want a time in the future", text)
	}
	return at.UTC(), nil
}
