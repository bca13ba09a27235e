package answers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

const (
	jsonName      = "answer.json"
	citationsName = "citations.json"
	jsonType      = "application/json"
)

// folder is the blob store's prefix for all content of an answer. Attempts share no keys, so an attempt that is wrongly
// presumed dead cannot change what another has finished.
func folder(id string) string { return "answers/" + id }

func contentKey(id string, attempt int32, name string) string {
	return folder(id) + "/" + strconv.Itoa(int(attempt)) + "/" + name
}

// keep stores the content of an attempt, and records its size in the outcome.
func (s *Service) keep(ctx context.Context, r *record, made *content) error {
	citations, err := json.Marshal(made.citations)
	if err != nil {
		return fmt.Errorf("writing citations: %w", err)
	}
	r.outcome.JSONBytes, r.outcome.CitationsBytes = int64(len(made.json)), int64(len(citations))
	for name, data := range map[string][]byte{jsonName: made.json, citationsName: citations} {
		if err := s.config.Blobs.Put(ctx, contentKey(r.id, r.attempt, name), jsonType, data); err != nil {
			return fmt.Errorf("storing the content of %s: %w", r.id, err)
		}
	}
	return nil
}

// Answer returns an answer of c's team or, for an anonymous client, one that a wallet paid for. It is free of charge.
func (s *Service) Answer(ctx context.Context, c *principal.Caller, id string) (*Answer, error) {
	r, err := s.store.byID(ctx, id)
	if err != nil && !errors.Is(err, errNotFound) {
		return nil, problem.Internal(err)
	}
	// A missing answer and one that c may not see cost the same single look-up, and no content is read before.
	if err := c.Reads(r.teamID, r.teamKind, problem.New(problem.AnswerNotFound, "There is no answer with this id.")); err != nil {
		return nil, err
	}
	return s.full(ctx, r)
}

// full returns an answer with its content, if that still exists.
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

// inline reports whether the content is small enough to be inlined.
func (s *Service) inline(r *record) bool {
	return r.outcome.JSONBytes+r.outcome.CitationsBytes <= s.config.InlineBytesMax
}

// answer fills the resource with its content, if that is small enough. After the retention the content is gone, but the
// answer remains.
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
	a.Result.JSON, a.Result.JSONObject = &text, made.json
	if made.citations != nil {
		a.Result.Citations = made.citations
	}
	return a, nil
}
