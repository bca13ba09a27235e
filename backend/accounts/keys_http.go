package accounts

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
)

// noStore keeps a key out of every cache on the way to the client.
const noStore = "no-store"

type keyList struct {
	Keys []Key `json:"keys" nullable:"false"`

	paging.List[Key]
}

type listKeysOutput struct{ Body keyList }

type createKeyInput struct{ Body decode.Body[NewKey] }

type keyOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         *Key
}

type keyInput struct {
	ID string `path:"key_id" maxLength:"100" doc:"The key's id."`
}

type rotateKeyInput struct {
	ID   string `path:"key_id" maxLength:"100" doc:"The key's id."`
	Body *decode.Body[RotateKey]
}

func (s *Service) registerKeys(api huma.API) {
	const path = "/user/keys"
	huma.Register(api, huma.Operation{
		OperationID: "listKeys", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary:     "List the team's API keys",
		Description: "Returns all active keys, then the most recently ended ones, up to 500 in total. Both are sorted newest first. Requires the scope billing.",
		Errors:      []int{401, 403},
	}, s.listKeys)
	huma.Register(api, huma.Operation{
		OperationID: "createKey", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "Create an API key",
		Description: "The response contains the key, this one time only. A key can grant only scopes that it has itself. A team can have " +
			"100 active keys. Requires the scope billing.",
		Errors: []int{400, 401, 403, 409, 413},
	}, s.createKey)
	huma.Register(api, huma.Operation{
		OperationID: "revokeKey", Method: http.MethodDelete, Path: path + "/{key_id}", Tags: []string{tag},
		Summary: "Revoke an API key",
		Description: "Metered requests with the key are refused immediately, other requests within a second. A key can revoke itself. Revoking " +
			"a key again has no effect. Requires the scope billing.",
		Errors: []int{400, 401, 403, 404},
	}, s.revokeKey)
	huma.Register(api, huma.Operation{
		OperationID: "rotateKey", Method: http.MethodPost, Path: path + "/{key_id}/rotate", Tags: []string{tag},
		Summary: "Replace an API key with a new one",
		Description: "The new key has the name and scopes of the old one and, if the old one expires, the same lifetime. The old key stays valid " +
			"for the overlap, so that nothing fails while the new one is distributed. A key can be rotated once. Requires the scope billing.",
		Errors: []int{400, 401, 403, 404, 409, 413},
	}, s.rotateKey)
}

func (s *Service) listKeys(ctx context.Context, _ *struct{}) (*listKeysOutput, error) {
	keys, err := s.ListKeys(ctx, principal.From(ctx))
	if err != nil {
		return nil, err
	}
	return &listKeysOutput{keyList{keys, paging.Whole(keys)}}, nil
}

func (s *Service) createKey(ctx context.Context, in *createKeyInput) (*keyOutput, error) {
	return oneKey(s.CreateKey(ctx, principal.From(ctx), in.Body.Value))
}

func (s *Service) revokeKey(ctx context.Context, in *keyInput) (*keyOutput, error) {
	return oneKey(s.RevokeKey(ctx, principal.From(ctx), in.ID))
}

func (s *Service) rotateKey(ctx context.Context, in *rotateKeyInput) (*keyOutput, error) {
	var change *RotateKey // may be omitted
	if in.Body != nil {
		change = in.Body.Value
	}
	return oneKey(s.RotateKey(ctx, principal.From(ctx), in.ID, change))
}

func oneKey(key *Key, err error) (*keyOutput, error) {
	if err != nil {
		return nil, err
	}
	return &keyOutput{CacheControl: noStore, Body: key}, nil
}
