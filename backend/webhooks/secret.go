package webhooks

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

const (
	// Overlap is how long a rotated secret still signs, beside the next one.
	Overlap = 24 * time.Hour
	// secretPrefix marks a symmetric secret in Standard Webhooks.
	secretPrefix = "whsec_"
	secretBytes  = 32
	// secretBytesMin is the minimum length of the master secret.
	secretBytesMin = 32
)

// Secret is a team's webhook secret as clients see it.
type Secret struct {
	Object string  `json:"object" enum:"webhook_secret"`
	Secret *string `json:"secret" doc:"The secret that verifies the signatures. Null in the response to a repeated request, because secrets are not stored." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="`
	// Created is null for a team's first secret, which is derived without any event.
	Created         *int64     `json:"created" doc:"When the secret replaced the previous one, in Unix time in seconds; null for the first secret."`
	PreviousExpires *time.Time `json:"previous_expires_at" doc:"When the previous secret stops signing webhooks; null if it has stopped."`
}

// keyState says which secrets a team signs with.
type keyState struct {
	version   int32
	rotatedAt *time.Time // nil: never
}

// live returns the versions that sign at a time, the current one first.
func (k keyState) live(now time.Time) []int32 {
	if k.rotatedAt == nil || !now.Before(k.rotatedAt.Add(Overlap)) {
		return []int32{k.version}
	}
	return []int32{k.version, k.version - 1}
}

// key derives a team's secret. No team id contains a zero byte, so two teams and versions never give the same input.
func (s *Service) key(teamID string, version int32) ([]byte, error) {
	info := "turnpike webhook v1\x00" + teamID + "\x00" + strconv.Itoa(int(version))
	key, err := hkdf.Key(sha256.New, s.config.MasterSecret, nil, info, secretBytes)
	if err != nil {
		return nil, fmt.Errorf("deriving a webhook secret: %w", err)
	}
	return key, nil
}

// sign returns the webhook-signature header: one signature for each live secret, so that a receiver may have either.
func (s *Service) sign(teamID string, k keyState, id string, at time.Time, body []byte) (string, error) {
	var signatures []string
	for _, version := range k.live(at) {
		key, err := s.key(teamID, version)
		if err != nil {
			return "", err
		}
		webhook, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return "", fmt.Errorf("signing a webhook: %w", err)
		}
		signature, err := webhook.Sign(id, at, body)
		if err != nil {
			return "", fmt.Errorf("signing a webhook: %w", err)
		}
		signatures = append(signatures, signature)
	}
	return strings.Join(signatures, " "), nil
}

// Secret returns the secret that a team's webhooks are signed with.
func (s *Service) Secret(ctx context.Context, teamID string) (string, error) {
	k, err := s.store.keyState(ctx, teamID)
	if err != nil {
		return "", err
	}
	return s.text(teamID, k)
}

func (s *Service) text(teamID string, k keyState) (string, error) {
	key, err := s.key(teamID, k.version)
	return secretPrefix + base64.StdEncoding.EncodeToString(key), err
}

func (s *Service) secretObject(teamID string, k keyState) (*Secret, error) {
	text, err := s.text(teamID, k)
	if err != nil {
		return nil, err
	}
	out := &Secret{Object: "webhook_secret", Secret: &text}
	if k.rotatedAt != nil {
		created := k.rotatedAt.Unix()
		out.Created = &created
	}
	if len(k.live(s.config.Now())) > 1 {
		ends := k.rotatedAt.Add(Overlap)
		out.PreviousExpires = seconds(&ends)
	}
	return out, nil
}

// ShowSecret returns the secret of c's team.
func (s *Service) ShowSecret(ctx context.Context, c *principal.Caller) (*Secret, error) {
	k, err := s.store.keyState(ctx, c.TeamID)
	if err != nil {
		return nil, problem.Internal(err)
	}
	out, err := s.secretObject(c.TeamID, k)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return out, nil
}

// RotateSecret gives c's team a new secret. The previous one also signs for [Overlap]; the one before that ends.
func (s *Service) RotateSecret(ctx context.Context, c *principal.Caller) (*Secret, error) {
	var out *Secret
	err := pgx.BeginFunc(ctx, s.config.Pool, func(tx pgx.Tx) error {
		k, err := newStore(tx).rotate(ctx, c.TeamID, s.config.Now())
		if err != nil {
			return err
		}
		if out, err = s.secretObject(c.TeamID, k); err != nil {
			return err
		}
		kept := *out
		kept.Secret = nil
		return c.Record(ctx, tx, &kept)
	})
	if err != nil {
		return nil, problem.From(err)
	}
	return out, nil
}
