package mcp

import (
	"context"
	"encoding/json"

	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

type askInput struct {
	Task     string          `json:"task"`
	Format   json.RawMessage `json:"format"`
	MaxChars int             `json:"max_chars"`
}

func (s *Service) ask(ctx context.Context, c *principal.Caller, in *askInput) (*result, error) {
	made, err := s.config.Answers.Create(ctx, c, &answers.Request{Task: in.Task, Format: answers.FormatInput(in.Format)})
	if err != nil {
		return nil, err
	}
	return windowed(made.ID, "", answerText(made), 0, newRoom(in.MaxChars))
}

// answerText is the answer, and the evidence for each value.
func answerText(made *answers.Answer) string {
	var l list
	switch {
	case made.Result.JSON != nil:
		l.linef("%s\n", *made.Result.JSON)
	case made.Result.JSONHostedURL != nil:
		l.linef("The answer is too large to be shown. It can be downloaded from %s\n", *made.Result.JSONHostedURL)
	default:
		l.linef("The answer has expired.\n")
	}
	if made.Result.Truncated {
		l.linef("The time ran out: what is NOT_FOUND may be found with more time.\n")
	}
	for _, source := range made.Result.Sources {
		l.linef("Source: %s", source)
	}
	for i := range made.Result.Citations {
		cited := &made.Result.Citations[i]
		l.linef("%s: %q (%s)", cited.Field, oneLine(cited.Quote, 300), cited.URL)
	}
	return l.String()
}
