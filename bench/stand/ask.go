//go:build linux

package stand

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// client waits long enough for the largest request to be priced and done.
var client = http.Client{Timeout: time.Minute}

// Ask sends a request of the team to the edge, and decodes the response into answer. A status of 400 or more is an error.
func (s *Stand) Ask(ctx context.Context, method, path string, body []byte, answer any) error {
	req, err := http.NewRequestWithContext(ctx, method, s.edge.URL(path), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s %.500s", method, path, resp.Status, text)
	}
	return json.Unmarshal(text, answer)
}

// Audit checks the ledger after a job has ended: how much of its hold was captured, and that nothing is held. moved is
// what the team has paid for everything so far.
func (s *Stand) Audit(ctx context.Context, job string, captured, moved money.Credits) error {
	ledger := credits.NewLedger(s.Pool)
	hold, err := ledger.JobHold(ctx, job)
	if err != nil {
		return err
	}
	balance, err := ledger.Balance(ctx, s.Team)
	if err != nil {
		return err
	}
	_, paid, err := ledger.Totals(ctx, balance.Account)
	if err != nil {
		return err
	}
	report, err := ledger.Audit(ctx)
	if err != nil {
		return err
	}
	if hold.Captured != captured || paid != moved || balance.Held != 0 || len(report.Differences) > 0 {
		return fmt.Errorf("%s: captured %d of its hold, want %d; the team has paid %d, want %d, and %d are held, want none; differences: %v",
			job, hold.Captured, captured, paid, moved, balance.Held, report.Differences)
	}
	return nil
}
