package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// payTimeout is enough for the slowest paid operation, a map, and its settlement.
const payTimeout = 3 * time.Minute

func payCommand(cmd *cobra.Command) {
	cmd.Use = "pay <url>"
	cmd.Long = `Requests a URL. If the response is a 402 challenge, it signs the required payment and sends the request
again. It writes the response body to standard output, and what was paid to standard error.

The wallet's private key, 64 hexadecimal digits, is read from the file in --key-file or from
TURNPIKE_WALLET_KEY. Without --max, it pays at most what standard x402 clients pay: 0.10 USDC with
version 1 and 1 USDC with version 2.`
	cmd.Example = `  turnpike pay http://localhost:8080/x402/v1/scrapes --key-file wallet.key \
    --data '{"url_to_scrape": "https://example.com"}'`
	cmd.Args = oneArgument("the URL")
	f := cmd.Flags()
	f.String("data", "", "request body, as JSON; @file reads it from a file, @- from standard input")
	f.StringP("request", "X", "", "request method (default: POST with --data, else GET)")
	f.StringArrayP("header", "H", nil, "request header, as `Name: value`; may be repeated")
	f.Int("version", 0, "version of the x402 protocol, 1 or 2 (default: 2 if it is offered)")
	f.String("max", "", "maximum to pay, in USDC, such as 0.10")
	f.String("key-file", "", "file with the wallet's private key (default: TURNPIKE_WALLET_KEY)")
	f.String("id", "", "id of the purchase, 16 to 128 letters, digits, hyphens and underscores: with the same id, it is charged only once (default: a new id)")
	cmd.RunE = runPay
}

func runPay(cmd *cobra.Command, args []string) error {
	buyer, err := buyerFromFlags(cmd)
	if err != nil {
		return err
	}
	req, err := requestFromFlags(cmd, args[0])
	if err != nil {
		return err
	}
	id, _ := cmd.Flags().GetString("id")
	if id == "" {
		if id, err = buyer.NewIdentifier(); err != nil {
			return err
		}
	} else if !x402.ValidIdentifier(id) {
		return fmt.Errorf("--id %q: want %d to %d letters, digits, hyphens and underscores", id, x402.IdentifierMin, x402.IdentifierMax)
	}
	p, err := buyer.Do(req.WithContext(client.WithIdentifier(req.Context(), id)))
	if err != nil {
		return fmt.Errorf("%w (to repeat the same purchase without being charged twice, add --id %s)", err, id)
	}
	defer p.Response.Body.Close()
	if _, err := io.Copy(cmd.OutOrStdout(), p.Response.Body); err != nil {
		return fmt.Errorf("reading the response: %w", err)
	}
	fmt.Fprintln(cmd.OutOrStdout())
	stderr := cmd.ErrOrStderr()
	fmt.Fprintf(stderr, "%s\n", p.Response.Status)
	switch {
	case p.Receipt != nil && p.Receipt.Success:
		fmt.Fprintf(stderr, "paid %s USDC on %s by x402 version %d from %s\ntransaction %s\n",
			p.Amount, p.Network, p.Version, buyer.Address(), p.Receipt.Transaction)
	case p.Receipt != nil:
		fmt.Fprintf(stderr, "not paid: %s\n", p.Receipt.ErrorReason)
	case p.Amount > 0 && p.Response.StatusCode == http.StatusPaymentRequired:
		fmt.Fprintf(stderr, "not paid: the signed payment of %s USDC from %s was refused\n", p.Amount, buyer.Address())
	case p.Amount > 0:
		fmt.Fprintf(stderr, "signed a payment of %s USDC; the response has no receipt, so it is unknown whether it was charged\n", p.Amount)
	default:
		fmt.Fprintln(stderr, "no payment was required, and nothing was paid")
	}
	if p.Response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("the server responded with %s", p.Response.Status)
	}
	return nil
}

func buyerFromFlags(cmd *cobra.Command) (*client.Buyer, error) {
	key, err := keyFrom(cmd, "key-file", "TURNPIKE_WALLET_KEY", "no wallet")
	if err != nil {
		return nil, err
	}
	version, _ := cmd.Flags().GetInt("version")
	if cmd.Flags().Changed("version") && version != 1 && version != 2 {
		return nil, fmt.Errorf("--version %d: want 1 or 2", version)
	}
	cfg := client.Config{Client: &http.Client{Timeout: payTimeout}, Key: key, Version: version}
	if text, _ := cmd.Flags().GetString("max"); text != "" {
		if cfg.SpendMax, err = money.ParseUSDC(text); err != nil {
			return nil, fmt.Errorf("--max: %w, a decimal amount of USDC such as 0.10", err)
		}
		if cfg.SpendMax <= 0 {
			return nil, fmt.Errorf("--max %s: want more than 0", text)
		}
	}
	return client.New(cfg)
}

func requestFromFlags(cmd *cobra.Command, url string) (*http.Request, error) {
	data, _ := cmd.Flags().GetString("data")
	method, _ := cmd.Flags().GetString("request")
	body, err := readData(cmd, data)
	if err != nil {
		return nil, err
	}
	if method == "" {
		method = http.MethodGet
		if data != "" {
			method = http.MethodPost
		}
	}
	req, err := http.NewRequestWithContext(cmd.Context(), method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if req.URL.Host == "" {
		return nil, fmt.Errorf("%q is not an absolute URL: want one such as https://api.example.com/x402/v1/scrapes", url)
	}
	if data != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	headers, _ := cmd.Flags().GetStringArray("header")
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return nil, fmt.Errorf("--header %q: want `Name: value`", h)
		}
		req.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return req, nil
}

func readData(cmd *cobra.Command, data string) (string, error) {
	file, ok := strings.CutPrefix(data, "@")
	if !ok {
		return data, nil
	}
	var b []byte
	var err error
	if file == "-" {
		b, err = io.ReadAll(cmd.InOrStdin())
	} else {
		b, err = os.ReadFile(file)
	}
	if err != nil {
		return "", fmt.Errorf("--data: %w", err)
	}
	return string(b), nil
}
