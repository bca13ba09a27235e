package answers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/problem"
)

const (
	jsonName      = "answer.json"
	citationsName = "citations.json"
	jsonType      = "application/json"
)

// folder is where all content of an answer lies in the blob store. Attempts do not share keys, so one that was taken for
// dead cannot change what another has finished.
func folder(id string) string { return "answers/" + id }

func contentKey(id string, attempt int32, name string) string {
	return folder(id) + "/" + strconv.Itoa(int(attempt)) + "/" + name
}

// keep stores the content of an attempt, and has the outcome say how large it is.
func (s *Service) keep(ctx context.Context, r *record, made *content) error {
	citations, err := json.Marshal(made.citations)
	if err != nil {
		return fmt.Errorf("writing citations: %w", err)
	}
	r.outcome.JSONBytes, r.outcome.CitationsBytes = int64(len(made.json)), int64(len(citations))
	for name, data := range map[string][]byte{jsonName: made.json, citationsName: citations} {
		if err := s.config.Blobs.Put(ctx, contentKey(r.id, r.attempt, name), jsonType, data); err != nil {
			return fmt.Errorf("keeping the content of %s: %w", r.id, err)
		}
	}
	return nil
}

// Answer returns an answer of c's team, or for nobody one that a wallet paid for. It costs nothing.
func (s *Service) Answer(ctx context.Context, c *caller.Caller, id string) (*Answer, error) {
	r, err := s.store.byID(ctx, id)
	if err != nil && !errors.Is(err, errNotFound) {
		return nil, problem.Internal(err)
	}
	// What c may not see and what is not there cost the same one look-up, and nothing of the content is read before.
	if err := c.Reads(r.teamID, r.teamKind, problem.New(problem.AnswerNotFound, "There is no answer with this id.")); err != nil {
		return nil, err
	}
	return s.full(ctx, r)
}

// full reads the content of an answer, as long as it is there.
func (s *Service) full(ctx context.Context, r *record) (*Answer, error) {
	stored := &content{}
	if !s.config.Now().Before(r.expires) || !s.inline(r) {
		return s.answer(r, stored)
	}
	var err error
	if stored.json, err = s.config.Blobs.Read(ctx, contentKey(r.id, r.attempt, jsonName)); err != nil {
		return nil, problem.Internal(fmt.Errorf("reading %s: %w", r.id, err))
	}
	citations, err := s.config.Blobs.Read(ctx, contentKey(r.id, r.attempt, citationsName))
	if err == nil {
		err = json.Unmarshal(citations, &stored.citations)
	}
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading the citations of %s: %w", r.id, err))
	}
	return s.answer(r, stored)
}

// inline reports whether the content fits into an answer.
func (s *Service) inline(r *record) bool {
	return r.outcome.JSONBytes+r.outcome.CitationsBytes <= s.config.InlineBytesMax
}

// answer fills the resource with its content, where that fits. When its time is over the content is gone, the answer is
// not.
func (s *Service) answer(r *record, made *content) (*Answer, error) {
	a := r.resource()
	ttl := r.expires.Sub(s.config.Now())
	if ttl <= 0 {
		return a, nil
	}
	hosted, err := s.config.Signer.URL(contentKey(r.id, r.attempt, jsonName), jsonName, "", ttl)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("signing content of %s: %w", r.id, err))
	}
	a.Result.JSONHostedURL = &hosted
	if !s.inline(r) {
		a.Result.SizeExceeded = true
		return a, nil
	}
	text := string(made.json)
	a.Result.JSON = &text
	if made.citations != nil {
		a.Result.Citations = made.citations
	}
	return a, nil
}
