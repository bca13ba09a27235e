package firecrawl

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// usage is a team's credits, which are those of this service. There are no billing periods.
type usage struct {
	RemainingCredits   money.Credits `json:"remainingCredits"`
	PlanCredits        money.Credits `json:"planCredits"`
	BillingPeriodStart *string       `json:"billingPeriodStart"`
	BillingPeriodEnd   *string       `json:"billingPeriodEnd"`
}

func (s *Service) creditUsage(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	info, err := s.config.Accounts.Info(ctx, c)
	if err != nil {
		return nil, err
	}
	out := struct {
		done

		Data usage `json:"data"`
	}{ok(), usage{RemainingCredits: info.Credits}}
	for _, purchase := range info.Breakdown {
		out.Data.PlanCredits += purchase.Allocated
	}
	return out, nil
}

// concurrency returns how many crawls are in progress, and how many pages of all of a team's jobs are fetched at once.
func (s *Service) concurrency(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	list, _, err := s.config.Crawls.List(ctx, c, string(crawls.StatusInProgress), "", activeMax)
	if err != nil {
		return nil, err
	}
	return struct {
		done

		Concurrency    int `json:"concurrency"`
		MaxConcurrency int `json:"maxConcurrency"`
	}{ok(), min(len(list), s.config.TeamRunning), s.config.TeamRunning}, nil
}
