package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"
)

// greet prints what a newcomer needs: addresses, and commands to copy.
func (d *devServer) greet() {
	binary, walletFile := shellQuote(os.Args[0]), shellQuote(d.walletFile)
	scrape := fmt.Sprintf(`{"url_to_scrape": %q, "formats": ["markdown"]}`, d.sampleURL)
	fmt.Fprintf(d.cmd.OutOrStdout(), `
Turnpike is up.

  edge    %[1]s          docs  %[1]s/docs
  key     %[2]s
  wallet  %[3]s, 1000 USDC on the development chain
          its key is in %[7]s
  chain   %[12]s (instance %[4]s)

A scrape by key, for 1 credit:

  curl -sS %[1]s/v1/scrapes -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' -d '%[5]s'

The challenge that an agent without a key gets:

  curl -sS -i %[1]s/x402/v1/scrapes -H 'Content-Type: application/json' -d '%[5]s'

A scrape paid with 0.01 USDC, by x402 version 2 and 1:

  %[6]s pay %[1]s/x402/v1/scrapes --key-file %[7]s --data '%[5]s'
  %[6]s pay %[1]s/x402/v1/scrapes --key-file %[7]s --data '%[5]s' --version 1

What the team has left, and whether the ledger agrees:

  DATABASE_URL=%[8]s %[6]s credits show --team %[9]s
  DATABASE_URL=%[8]s %[6]s payments reconcile

%[10]sCtrl-C stops everything; the data in %[11]s is there for the next start.
`, d.edgeURL(), d.state.APIKey, crypto.PubkeyToAddress(d.wallet.PublicKey), d.chain.InstanceID()[:8], scrape,
		binary, walletFile, shellQuote(d.databaseURL), d.state.TeamID, d.loopbackNote(), d.state.dir, d.chain.RPCURL())
}

func (d *devServer) loopbackNote() string {
	if d.allowLoopback {
		return "Pages on this machine may be scraped, on any port.\n"
	}
	return "Of this machine only the sample page may be scraped; --allow-loopback opens the rest.\n"
}

// shellQuote returns s as one word of a shell's language, bare where it can be.
func shellQuote(s string) string {
	bare := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,", r)
	}) < 0
	if bare && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
