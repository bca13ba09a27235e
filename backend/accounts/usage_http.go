package accounts

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

type usageInput struct {
	From    string  `query:"from" maxLength:"40" doc:"The start of the range: a UTC date, or an RFC 3339 time. Default: a range of 30 days." example:"2026-01-01"`
	To      string  `query:"to" maxLength:"40" doc:"The end of the range: a UTC date, which is included, or an RFC 3339 time, which is excluded. A range has at most 366 days. Default: now." example:"2026-01-31"`
	GroupBy GroupBy `query:"group_by" enum:"day,endpoint,key" default:"day"`
}

type usageOutput struct{ Body *Usage }

func (s *Service) usage(ctx context.Context, in *usageInput) (*usageOutput, error) {
	r, err := parseRange(in.From, in.To, s.now())
	if err != nil {
		return nil, err
	}
	usage, err := s.UsageIn(ctx, principal.From(ctx), r, in.GroupBy)
	if err != nil {
		return nil, err
	}
	return &usageOutput{usage}, nil
}
