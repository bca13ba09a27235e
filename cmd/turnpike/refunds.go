package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/reconcile/checks"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/refunds"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// The variables with the keys for `refunds pay`. The settler's is that of the shipped Caddyfile.
const (
	treasuryKeyName = "TURNPIKE_TREASURY_KEY"
	settlerKeyName  = "SETTLER_KEY"
)

const whichClaim = "the id of a claim as `turnpike payments refunds` shows it"

func refundsCommand(parent *cobra.Command) {
	refunds := subcommand(parent, "refunds", "Lists the refunds that are owed to payers, and pays them", listRefunds)
	refunds.Long = `Lists the refunds that are owed: for x402 payments that were settled before the upstream ran, if the upstream then
failed, and for payments that were added with "add". Amounts are in USDC. The other commands pay refunds or record
that they were paid.`
	refunds.Flags().Bool("json", false, "print JSON")

	pay := subcommand(refunds, "pay [<claim>… | --all]", "Pays the refunds that are owed, each once", payRefunds)
	pay.Long = `Pays refunds from the account that received the payment, each once. After an error, or if the command was killed,
run it again: it finds refunds that are already on the chain, and only records them. It exits with 1 if any refund is
still owed.

It needs two private keys. Each is in a file or in the environment, as 64 hexadecimal digits. For a key that a signing
service holds, give the URL of the service and the account's address after a #: https://signer.example:9000#0x2096…

  treasury    the account that received the payments; it signs and needs no gas   --key-file, ` + treasuryKeyName + `
  settler     sends the signed refunds and pays the gas                           --settler-key-file, ` + settlerKeyName + `

A treasury that cannot sign, such as a contract, pays by other means: see export and mark.

` + checks.NodesHelp
	pay.Example = `  turnpike payments refunds pay --all --key-file treasury.key
  turnpike payments refunds pay 01993f0e-7c1b-7cc2-a1c5-5f0e7a2b9d10 --key-file treasury.key`
	pay.Args = claimsOrAll
	pay.Flags().Bool("all", false, "pay all refunds that are owed")
	pay.Flags().String("key-file", "", "file with the treasury's private key (default: "+treasuryKeyName+")")
	pay.Flags().String("settler-key-file", "", "file with the private key that pays the gas (default: "+settlerKeyName+")")
	pay.Flags().String("from", "", "pay from this account, to which the key must belong, even if another account received the payment")

	add := subcommand(refunds, "add <claim> --note <why>", "Adds a payment to the refunds that are owed", addRefund)
	add.Long = "Adds a settled payment to the refunds that are owed, for example because the upstream's response was useless.\n" +
		"No money moves before `turnpike payments refunds pay`."
	add.Args = oneArgument("the id of a claim as `turnpike payments list` shows it")
	add.Flags().String("note", "", "reason, which is recorded")
	requireFlags(add, "note")

	export := subcommand(refunds, "export", "Prints the refunds that are owed as JSON, for a treasury that pays by other means", exportRefunds)
	export.Long = `Prints the refunds that are owed as a JSON array, for a treasury whose key is not at hand, such as a contract wallet
or a custodian.

Make a separate transfer for each entry: units is the amount in the smallest unit of the token asset, from is the
account that pays, and to is the account that is paid. Then record the transfer with turnpike payments refunds mark.
An account that can sign EIP-3009 authorisations should use the nonce of the entry: the token then accepts only one
transfer for each claim.`

	mark := subcommand(refunds, "mark <claim> --transaction <hash>", "Records a refund that was paid by other means", markRefund)
	mark.Long = `Records that a transaction refunded a claim. It first looks the transaction up on the chain, which must have moved
exactly the amount that is owed, from the account that received the payment (or --from) to the payer. One transfer
counts for one claim.

` + checks.NodesHelp
	mark.Args = oneArgument(whichClaim)
	mark.Flags().String("transaction", "", "hash of the transaction, 0x and 64 hexadecimal digits")
	mark.Flags().String("from", "", "account that paid the refund, if another account received the payment")
	requireFlags(mark, "transaction")
}

// claimsOrAll requires claims, or --all instead.
func claimsOrAll(cmd *cobra.Command, args []string) error {
	switch all, _ := cmd.Flags().GetBool("all"); {
	case all && len(args) > 0:
		return errors.New("claims and --all: want one of the two")
	case !all && len(args) == 0:
		return errors.New("nothing to pay: want claims, as `turnpike payments refunds` shows them, or --all")
	}
	return nil
}

func parseClaim(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) {
		return uuid.Nil, fmt.Errorf("claim %q: want an id such as 01993f0e-7c1b-7cc2-a1c5-5f0e7a2b9d10", text)
	}
	return id, nil
}

func parseAddress(text string) (common.Address, error) {
	if !strings.HasPrefix(text, "0x") || !common.IsHexAddress(text) {
		return common.Address{}, fmt.Errorf("%q: want an address, 0x and 40 hexadecimal digits", text)
	}
	address := common.HexToAddress(text)
	digits := text[2:]
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && address.Hex() != text {
		return common.Address{}, fmt.Errorf("%q: its checksum is wrong (EIP-55): a digit is mistyped", text)
	}
	return address, nil
}

// claimError adds the claim's id to an error, and a remedy if there is one.
func claimError(id uuid.UUID, err error) error {
	if errors.Is(err, claims.ErrNotFound) {
		return fmt.Errorf("claim %s: no such claim", id)
	}
	if errors.Is(err, evm.ErrNoNode) {
		return fmt.Errorf("claim %s: %w: set %s, or %s<chain id>", id, err, checks.NodeName, checks.NodePrefix)
	}
	return fmt.Errorf("claim %s: %w", id, err)
}

// owedJSON is a refund due, in lists and exports.
type owedJSON struct {
	Claim   string `json:"claim"`
	Network string `json:"network"`
	Asset   string `json:"asset"`
	From    string `json:"from"`
	To      string `json:"to"`
	// Amount is in USDC, as a decimal number; Units in the token's smallest unit.
	Amount    string    `json:"amount"`
	Units     string    `json:"units"`
	Nonce     string    `json:"nonce"`
	Operation string    `json:"operation"`
	Note      string    `json:"note,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

func owed(cmd *cobra.Command, pool *pgxpool.Pool) ([]refunds.Due, error) {
	return refunds.New(pool, evm.NewChains(nil), time.Now).Due(cmd.Context())
}

func exportRefunds(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	due, err := owed(cmd, pool)
	if err != nil {
		return err
	}
	list := make([]owedJSON, len(due))
	for i := range due {
		d := &due[i]
		list[i] = owedJSON{
			Claim: d.ID.String(), Network: d.Network, Asset: d.Asset, From: d.PayTo, To: d.Payer, Amount: d.Amount.String(), Units: d.Amount.Units(),
			Nonce: hexutil.Encode(d.Nonce[:]), Operation: d.Operation, Note: d.Note, CreatedAt: d.CreatedAt.UTC(),
		}
	}
	return printJSON(cmd.OutOrStdout(), list)
}

func listRefunds(cmd *cobra.Command, _ []string, pool *pgxpool.Pool) error {
	if asJSON(cmd) {
		return exportRefunds(cmd, nil, pool)
	}
	due, err := owed(cmd, pool)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if len(due) == 0 {
		fmt.Fprintln(out, "Nothing is owed.")
		return nil
	}
	var sum money.MicroUSDC
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "CLAIM\tUSDC\tPAYER\tPAID TO\tNETWORK\tOPERATION\tCREATED\tNOTE")
	for i := range due {
		d := &due[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", d.ID, d.Amount, d.Payer, d.PayTo, d.Network, orDash(d.Operation),
			timeOr(&d.CreatedAt, "-"), orDash(d.Note))
		if sum, err = sum.Add(d.Amount); err != nil {
			return fmt.Errorf("adding up what is owed: %w", err)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s USDC are owed for %d claims.\n", sum, len(due))
	return nil
}

func addRefund(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error {
	id, err := parseClaim(args[0])
	if err != nil {
		return err
	}
	note, _ := cmd.Flags().GetString("note")
	if strings.TrimSpace(note) == "" || strings.ContainsAny(note, "\r\n") {
		return errors.New("--note: want the reason for the refund, on one line")
	}
	added, err := refunds.New(pool, evm.NewChains(nil), time.Now).Owe(cmd.Context(), id, note)
	if err != nil {
		return claimError(id, err)
	}
	if !added {
		fmt.Fprintf(cmd.OutOrStdout(), "Claim %s was already owed a refund.\n", id)
		return nil
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Claim %s is now owed a refund.\n", id)
	return nil
}

func markRefund(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error {
	id, err := parseClaim(args[0])
	if err != nil {
		return err
	}
	text, _ := cmd.Flags().GetString("transaction")
	raw, err := hexutil.Decode(text)
	if err != nil || len(raw) != common.HashLength {
		return fmt.Errorf("--transaction %q: want a transaction's hash, 0x and 64 hexadecimal digits", text)
	}
	var from *common.Address
	if cmd.Flags().Changed("from") {
		address, err := addressFlag(cmd, "from")
		if err != nil {
			return err
		}
		from = &address
	}
	nodes, err := checks.NodesFromEnv(cmd.Context())
	if err != nil {
		return err
	}
	defer nodes.Close()
	paid, err := refunds.New(pool, nodes.Chains, time.Now).Mark(cmd.Context(), id, common.BytesToHash(raw), from)
	if err != nil {
		return claimError(id, err)
	}
	if paid.Before {
		fmt.Fprintf(cmd.OutOrStdout(), "Claim %s was already recorded as refunded by this transaction.\n", id)
		return nil
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Claim %s is recorded as refunded.\n", id)
	return nil
}

const (
	// refundWorkers is how many refunds run at once.
	refundWorkers = 8
	// refundTimeout bounds one refund: several blocks, and a slow node.
	refundTimeout = 3 * time.Minute
)

func payRefunds(cmd *cobra.Command, args []string, pool *pgxpool.Pool) error {
	var ids []uuid.UUID
	for _, text := range args {
		id, err := parseClaim(text)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	treasury, settlers, err := treasuryFromFlags(cmd, pool)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	nodes, err := checks.NodesFromEnv(ctx)
	if err != nil {
		return err
	}
	defer nodes.Close()
	refunds := refunds.New(pool, nodes.Chains, time.Now)
	if all, _ := cmd.Flags().GetBool("all"); all {
		due, err := refunds.Due(ctx)
		if err != nil {
			return err
		}
		for i := range due {
			ids = append(ids, due[i].ID)
		}
		if len(ids) == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "Nothing is owed.")
			return nil
		}
	}
	err = payEach(ctx, cmd, refunds, treasury, ids)
	return errors.Join(err, settlers.close(context.WithoutCancel(ctx)))
}

// payEach pays several claims at once, and prints the result of each.
func payEach(ctx context.Context, cmd *cobra.Command, refunds *refunds.Refunds, treasury refunds.Treasury, ids []uuid.UUID) error {
	queue := make(chan uuid.UUID, len(ids))
	for _, id := range ids {
		queue <- id
	}
	close(queue)
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		failed int
	)
	for range min(refundWorkers, len(ids)) {
		wg.Go(func() {
			for id := range queue {
				if ctx.Err() != nil { // interrupted: running refunds are completed, the rest is left
					mu.Lock()
					failed++
					mu.Unlock()
					continue
				}
				paid, err := payOne(ctx, refunds, treasury, id)
				mu.Lock()
				if err != nil {
					failed++
					fmt.Fprintln(cmd.ErrOrStderr(), claimError(id, err))
				} else {
					fmt.Fprintln(cmd.OutOrStdout(), paidLine(id, paid))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failed > 0 {
		return fmt.Errorf("%d of %d claims are not recorded as refunded: run the command again, which pays no claim twice", failed, len(ids))
	}
	return nil
}

// payOne pays one claim. If interrupted, it still completes the refund, within the time that a refund may take.
func payOne(ctx context.Context, refunds *refunds.Refunds, treasury refunds.Treasury, id uuid.UUID) (refunds.Repayment, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refundTimeout)
	defer cancel()
	return refunds.Pay(ctx, id, treasury)
}

func paidLine(id uuid.UUID, paid refunds.Repayment) string {
	if paid.Before {
		return fmt.Sprintf("Claim %s was already refunded by transaction %s", id, paid.Transaction)
	}
	return fmt.Sprintf("Claim %s is refunded by transaction %s", id, paid.Transaction)
}

// treasuryFromFlags reads the keys only from files or the environment, because every user of a machine can see command
// lines.
func treasuryFromFlags(cmd *cobra.Command, pool *pgxpool.Pool) (refunds.Treasury, *settlers, error) {
	account, err := signerFrom(cmd, "key-file", treasuryKeyName, "no treasury")
	if err != nil {
		return refunds.Treasury{}, nil, err
	}
	settler, err := signerFrom(cmd, "settler-key-file", settlerKeyName, "no settler")
	if err != nil {
		return refunds.Treasury{}, nil, err
	}
	treasury := refunds.Treasury{Signer: account}
	if cmd.Flags().Changed("from") {
		from, err := addressFlag(cmd, "from")
		if err != nil {
			return treasury, nil, err
		}
		if address := account.Address(); address != from {
			return treasury, nil, fmt.Errorf("--from %s: the key belongs to %s", from.Hex(), address.Hex())
		}
		treasury.AnyRecipient = true
	}
	all := &settlers{signer: settler, outbox: outbox.NewPostgres(pool, uuid.Nil), made: map[x402.Network]*local.Facilitator{}}
	treasury.Settler = all.on
	return treasury, all, nil
}

// settlers has one facilitator per network. They share the ledger's outbox, so that an edge can use the same key at the
// same time.
type settlers struct {
	signer signer.Signer
	outbox outbox.Store

	mu   sync.Mutex
	made map[x402.Network]*local.Facilitator
}

func (s *settlers) on(node evm.RPC, network x402.Network) (x402.Facilitator, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.made[network]; f != nil {
		return f, nil
	}
	f, err := local.New(local.Config{
		RPC: node, Network: network, Signers: []signer.Signer{s.signer}, Outbox: s.outbox,
	})
	if err != nil {
		return nil, err
	}
	s.made[network] = f
	return f, nil
}

// close lets other processes take over what is left, at once.
func (s *settlers) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, f := range s.made {
		errs = append(errs, f.Close(ctx))
	}
	return errors.Join(errs...)
}

// secretText reads a secret from the file that a flag names, or from a variable, and returns its source.
func secretText(cmd *cobra.Command, flag, variable, missing string) (text, source string, err error) {
	text, source = os.Getenv(variable), variable
	if file, _ := cmd.Flags().GetString(flag); file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("--%s: %w", flag, err)
		}
		text, source = string(b), file
	} else if text == "" {
		return "", "", fmt.Errorf("%s: give --%s or set %s", missing, flag, variable)
	}
	return strings.TrimSpace(text), source, nil
}

// signerFrom reads a private key, or the address of a service that signs with it.
func signerFrom(cmd *cobra.Command, flag, variable, missing string) (signer.Signer, error) {
	text, source, err := secretText(cmd, flag, variable, missing)
	if err != nil {
		return nil, err
	}
	signer, err := signer.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return signer, nil
}

// keyFrom reads a private key.
func keyFrom(cmd *cobra.Command, flag, variable, missing string) (*ecdsa.PrivateKey, error) {
	text, source, err := secretText(cmd, flag, variable, missing)
	if err != nil {
		return nil, err
	}
	key, err := crypto.HexToECDSA(strings.TrimPrefix(text, "0x"))
	if err != nil {
		// The library's error may quote the key.
		return nil, fmt.Errorf("%s does not hold a private key of 64 hexadecimal digits", source)
	}
	return key, nil
}
