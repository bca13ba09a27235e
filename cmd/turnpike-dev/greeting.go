package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/backend/app"
)

// greet prints what a newcomer needs: addresses, and commands to copy.
func (d *devServer) greet() {
	// turnpike is beside this program, or has started it and named it after how the user calls turnpike.
	binary, walletFile := shellQuote(strings.TrimSuffix(os.Args[0], "-dev")), shellQuote(d.walletFile)
	batch := fmt.Sprintf(`{"items": [{"url": %[1]q}, {"url": "%[1]s?page=2"}], "formats": ["markdown"], "webhook": %[1]q}`, d.sampleURL)
	scrape := fmt.Sprintf(`{"url_to_scrape": %q, "formats": ["markdown"]}`, d.sampleURL)
	crawl := fmt.Sprintf(`{"start_url": %[1]q, "max_pages": 20, "scrape_options": {"formats": ["markdown"]}, "webhook": %[1]q}`, d.sampleURL)
	siteMap := fmt.Sprintf(`{"url": %q}`, d.sampleURL)
	fmt.Fprintf(d.cmd.OutOrStdout(), `
Turnpike is running.

  edge    %[1]s          docs  %[1]s/docs
  console %[1]s/console  (sign in with the key)
  key     %[2]s
  wallet  %[3]s, 1000 USDC on the development chain
          its key is in %[7]s
  chain   %[12]s (instance %[4]s)

Scrape a page with the API key, for 1 credit:

  curl -sS %[1]s/v1/scrapes -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' -d '%[5]s'

Scrape two pages in a batch, for 2 credits. Its webhook goes to the sample site and is printed here:

  curl -sS %[1]s/v1/batches -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' -d '%[14]s'

Crawl the whole sample site, for 1 credit per page, also with a webhook. /v1/crawls/{crawl_id}/pages lists the pages while
the crawl runs. The map lists the site's URLs, for 1 credit:

  curl -sS %[1]s/v1/crawls -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' -d '%[15]s'
  curl -sS %[1]s/v1/maps -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' -d '%[16]s'

Get the payment challenge that clients without a key receive:

  curl -sS -i %[1]s/x402/v1/scrapes -H 'Content-Type: application/json' -d '%[5]s'

Pay for a scrape with 0.01 USDC, by x402 version 2 and 1:

  %[6]s pay %[1]s/x402/v1/scrapes --key-file %[7]s --data '%[5]s'
  %[6]s pay %[1]s/x402/v1/scrapes --key-file %[7]s --data '%[5]s' --version 1

Show the team's credits, and check the ledger:

  %[8]s%[6]s credits show --team %[9]s
  %[8]s%[6]s payments reconcile

%[10]s%[13]s%[17]sCtrl-C stops everything. The next start uses the data in %[11]s again.
`, d.edgeURL(), d.state.APIKey, crypto.PubkeyToAddress(d.wallet.PublicKey), d.chain.InstanceID()[:8], scrape,
		binary, walletFile, d.databaseSetting(), d.state.TeamID, d.loopbackNote(), d.state.dir, d.chain.RPCURL(), d.browserNote(), batch, crawl, siteMap, mailNote())
}

func mailNote() string {
	if os.Getenv(app.SMTPURLName) != "" {
		return ""
	}
	return "Mail is not sent. Instead, its recipient and any confirmation link are printed here.\n"
}

func (d *devServer) browserNote() string {
	if d.browser {
		return "Pages that need scripts are rendered in a browser, which starts with the first of them.\n"
	}
	return "Pages are not rendered, because no browser can be used (`turnpike doctor` shows how to get one).\n"
}

// databaseSetting returns the prefix for commands that need the private database. A database named by the user is
// already in the environment, and its URL may have a password that must not be printed.
func (d *devServer) databaseSetting() string {
	if d.ownDatabase {
		return "DATABASE_URL=" + shellQuote(d.databaseURL) + " "
	}
	return ""
}

func (d *devServer) loopbackNote() string {
	if d.allowLoopback {
		return "Pages that are served on this machine can be fetched, on any port.\n"
	}
	return "On this machine, only the sample site can be fetched; --allow-loopback allows all other pages.\n"
}

// shellQuote returns s as one shell word, without quotes if possible.
func shellQuote(s string) string {
	bare := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,", r)
	}) < 0
	if bare && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
