package accounts

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/caller"
)

type usageInput struct {
	From    string  `query:"from" maxLength:"40" doc:"Where it begins: a UTC date, or a time by RFC 3339. Default: 30 days up to its end." example:"2026-01-01"`
	To      string  `query:"to" maxLength:"40" doc:"Where it ends: a UTC date, which is in it, or a time, which is not. Up to 366 days. Default: now." example:"2026-01-31"`
	GroupBy GroupBy `query:"group_by" enum:"day,endpoint,key" default:"day"`
}

type usageOutput struct{ Body *Usage }

func (s *Service) usage(ctx context.Context, in *usageInput) (*usageOutput, error) {
	r, err := parseRange(in.From, in.To, s.now())
	if err != nil {
		return nil, err
	}
	usage, err := s.UsageIn(ctx, caller.From(ctx), r, in.GroupBy)
	if err != nil {
		return nil, err
	}
	return &usageOutput{usage}, nil
}
