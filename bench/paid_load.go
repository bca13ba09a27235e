//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/bench/load"
	"github.com/turnpike-edge/turnpike/payments/x402"
	x402client "github.com/turnpike-edge/turnpike/payments/x402/client"
)

// buyPlan is the configuration of a crowd of buyers, passed as JSON in its argument.
type buyPlan struct {
	URL      string `json:"url"`
	Payments int    `json:"payments"` // at most payersCount: each from another wallet
	AtOnce   int    `json:"at_once"`
}

// buyResult is printed at the end.
type buyResult struct {
	// Transactions has the transaction of each served payment, from its receipt.
	Transactions []string      `json:"transactions"`
	Faults       []string      `json:"faults,omitempty"`
	Took         time.Duration `json:"took"` // from the first payment to the last response
	P50          time.Duration `json:"p50"`
	P99          time.Duration `json:"p99"`
}

// buyTimeout bounds one request: a few blocks longer than an edge waits for a settlement.
const buyTimeout = time.Minute

// buyMain asks for the price once per payment and signs, prints a line, then makes all payments and prints a buyResult:
// bench buy <plan>. The versions of the protocol alternate.
func buyMain(args []string) error {
	if len(args) != 1 {
		return errors.New("buy: want one argument, the plan")
	}
	var plan buyPlan
	if err := json.Unmarshal([]byte(args[0]), &plan); err != nil {
		return fmt.Errorf("buy: reading the plan: %w", err)
	}
	client := &http.Client{Timeout: buyTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: plan.AtOnce}}
	signed := make([]*x402client.SignedPayment, plan.Payments)
	for i := range signed {
		var err error
		if signed[i], err = askPrice(client, plan.URL, i); err != nil {
			return fmt.Errorf("buy: %w", err)
		}
	}
	fmt.Println(load.LineBegin)
	return json.NewEncoder(os.Stdout).Encode(payAll(client, plan, signed))
}

// askPrice signs a payment by the i-th wallet for the stated price of a request.
func askPrice(client *http.Client, url string, i int) (*x402client.SignedPayment, error) {
	buyer, err := x402client.New(x402client.Config{Client: client, Key: payer(i % payersCount), Version: 1 + i%2})
	if err != nil {
		return nil, err
	}
	resp, err := get(client, url, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	signed, err := buyer.Sign(resp)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, resp.Body) // so that the connection can be reused
	return signed, err
}

func get(client *http.Client, url string, paid *x402client.SignedPayment) (*http.Response, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	if paid != nil {
		req.Header.Set(paid.HeaderName, paid.HeaderValue)
	}
	return client.Do(req)
}

func payAll(client *http.Client, plan buyPlan, signed []*x402client.SignedPayment) (r buyResult) {
	var (
		mu   sync.Mutex
		took []time.Duration
		done sync.WaitGroup
	)
	next := make(chan *x402client.SignedPayment, len(signed))
	for _, s := range signed {
		next <- s
	}
	close(next)
	began := time.Now()
	for range plan.AtOnce {
		done.Go(func() {
			for s := range next {
				start := time.Now()
				transaction, err := pay(client, plan.URL, s)
				end := time.Since(start)
				mu.Lock()
				if took = append(took, end); err != nil {
					r.Faults = append(r.Faults, err.Error())
				} else {
					r.Transactions = append(r.Transactions, transaction)
				}
				mu.Unlock()
			}
		})
	}
	done.Wait()
	r.Took = time.Since(began)
	slices.Sort(took)
	r.P50, r.P99 = load.Quantile(took, 0.5), load.Quantile(took, 0.99)
	return r
}

// pay sends the request with its payment, and returns the transaction that the receipt names. Anything but the upstream's
// response with a receipt is an error.
func pay(client *http.Client, url string, s *x402client.SignedPayment) (string, error) {
	resp, err := get(client, url, s)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK || string(body) != load.UpstreamBody {
		return "", fmt.Errorf("%s: %s", resp.Status, body)
	}
	receipt, err := x402.ReadReceipt(resp.Header)
	if err != nil {
		return "", err
	}
	if receipt == nil || !receipt.Success || receipt.Transaction == "" {
		return "", errNotPaid
	}
	return receipt.Transaction, nil
}
