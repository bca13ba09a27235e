package llm

import (
	"context"
	"time"
)

// Budget limits what one request of a client may use of a model, over all its steps. All fields must be set.
type Budget struct {
	// Steps is how often the model may be asked.
	Steps int
	// Tokens is the limit of input and output together.
	Tokens int64
	// Time is for everything, including waits and retries.
	Time time.Duration
}

// ReasonBudget is the reason of an Error when the model was not asked because the budget is used up.
const ReasonBudget Reason = "budget"

// Session asks a model on behalf of one request of a client, within a budget. It is for one goroutine.
type Session struct {
	chatter  Chatter
	budget   Budget
	now      func() time.Time
	begun    time.Time
	record   Record
	deadline time.Time
}

// Begin opens a session; its time starts now.
func Begin(chatter Chatter, budget Budget, now func() time.Time) *Session {
	begun := now()
	return &Session{chatter: chatter, budget: budget, now: now, begun: begun, deadline: begun.Add(budget.Time)}
}

// Left is what remains of the budget.
func (s *Session) Left() Budget {
	used := s.record.Usage
	return Budget{
		Steps: max(s.budget.Steps-s.record.Steps, 0), Tokens: max(s.budget.Tokens-used.Input-used.Output, 0),
		Time: max(s.deadline.Sub(s.now()), 0),
	}
}

// Affords reports whether the budget covers another step, with its estimated tokens.
func (s *Session) Affords(request ChatRequest) bool {
	left := s.Left()
	return left.Steps > 0 && left.Time > 0 && int64(request.Tokens()+max(request.MaxTokens, 1)) <= left.Tokens
}

// Chat takes one step. Its usage is counted even if it fails. If the budget does not cover it, the error is an *Error
// with ReasonBudget and no request is made. A reply may exceed its token limit, and so the budget, by that limit once
// more before it is cut.
func (s *Session) Chat(ctx context.Context, request ChatRequest) (ChatReply, error) {
	if !s.Affords(request) {
		return ChatReply{}, &Error{Reason: ReasonBudget, Message: "the request's budget of steps, tokens or time is used up"}
	}
	ctx, cancel := context.WithTimeout(ctx, s.Left().Time)
	defer cancel()
	reply, err := s.chatter.Chat(ctx, request)
	s.record.Steps++
	s.record.Usage = s.record.Usage.Add(reply.Usage)
	s.record.Estimated = s.record.Estimated || reply.Estimated
	s.record.Cost += reply.Cost
	if reply.Model != "" {
		s.record.Model = reply.Model
	}
	return reply, err
}

// Record is the usage so far.
func (s *Session) Record() Record {
	record := s.record
	record.Took = s.now().Sub(s.begun)
	return record
}
