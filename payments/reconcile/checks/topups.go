package checks

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/payments/reconcile"
	"github.com/turnpike-edge/turnpike/payments/stripe"
)

// The variables of the shipped Caddyfile with Stripe's secret key and address.
const (
	StripeKeyName     = "STRIPE_SECRET_KEY"
	StripeAPIBaseName = "STRIPE_API_BASE"
)

// topUpsRest is the minimum age of a compared purchase: a newer one may still be between Stripe and the ledger.
const topUpsRest = time.Minute

// TopUps compares the purchases of the last span with Stripe, with the edge's key and address.
func TopUps(pool *pgxpool.Pool, span time.Duration) (reconcile.Check, error) {
	check := reconcile.Check{Name: "top-ups, Stripe"}
	key := os.Getenv(StripeKeyName)
	if key == "" {
		check.Skipped = "set " + StripeKeyName + " to compare them"
		return check, nil
	}
	auditor, err := stripe.NewAuditor(stripe.Config{DB: pool, SecretKey: key, APIBase: os.Getenv(StripeAPIBaseName)})
	if err != nil {
		return check, fmt.Errorf("%s, %s: %w", StripeKeyName, StripeAPIBaseName, err)
	}
	check.Run = func(ctx context.Context) (reconcile.Result, error) {
		now := time.Now()
		since := now.Add(-span)
		report, err := auditor.Reconcile(ctx, since, now.Add(-topUpsRest))
		return topUpResult(&report, since), err
	}
	return check, nil
}

func topUpResult(report *stripe.Report, since time.Time) reconcile.Result {
	result := reconcile.Result{Compared: fmt.Sprintf("%d top-ups since %s, Stripe %s, ledger %s",
		report.Topups, since.UTC().Format(time.DateOnly), report.Stripe, report.Ledger)}
	for _, d := range report.Differences {
		detail := d.Reason
		if d.PaymentIntentID != "" {
			detail = "payment " + d.PaymentIntentID + ": " + detail
		}
		result.Differences = append(result.Differences, reconcile.Difference{Subject: "top-up " + d.TopupID, Detail: detail})
	}
	if report.Resolved > 0 {
		result.Notes = append(result.Notes,
			fmt.Sprintf("resolved payments, which were left out: %d; `turnpike payments mismatches --all` lists them", report.Resolved))
	}
	if report.Open > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("%d top-ups have no outcome yet; the edges look it up", report.Open))
	}
	return result
}
