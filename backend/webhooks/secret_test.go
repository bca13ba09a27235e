package webhooks_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
)

func publicOnly(c *fetch.Config) { c.AllowPrivate, c.AllowAnyPort = nil, false }

// While both secrets live, a receiver may have either: the library that receivers use accepts the delivery. The
// library's own tolerance of five minutes applies, too.
func TestRotation(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Now())
	p := setup(t, options{config: func(c *webhooks.Config) { c.Now = clock.Now }})
	r := newReceiver(t, status(200))
	n := 0
	next := func() post {
		n++
		p.tell(team, r.URL, n)
		return r.until(t, n)[n-1]
	}
	show := func(method string) *webhooks.Secret {
		var out webhooks.Secret
		p.call(team, method, "/v1/webhooks/secret", http.StatusOK, &out)
		return &out
	}
	first := show(http.MethodGet)
	if first.Object != "webhook_secret" || first.Created != nil || first.PreviousExpires != nil || !strings.HasPrefix(*first.Secret, "whsec_") {
		t.Errorf("got %+v, want the first secret", first)
	}
	verifier, err := standardwebhooks.NewWebhook(*first.Secret)
	must(t, err)
	one := next()
	if err := verifier.Verify(one.raw, one.header); err != nil {
		t.Errorf("a fresh webhook: %v", err)
	}

	second := show(http.MethodPost)
	if *second.Secret == *first.Secret || *second.Created != clock.Now().Unix() || !second.PreviousExpires.Equal(clock.Now().Add(24*time.Hour).Truncate(time.Second)) {
		t.Errorf("got %+v, want another secret and the first one for 24 h", second)
	}
	if again := show(http.MethodGet); *again.Secret != *second.Secret || !again.PreviousExpires.Equal(*second.PreviousExpires) {
		t.Errorf("got %+v, want %+v", again, second)
	}
	clock.Advance(24*time.Hour - time.Minute)
	both := next()
	p.verify(*first.Secret, both)
	p.verify(*second.Secret, both)
	if got := len(strings.Split(both.header.Get("Webhook-Signature"), " ")); got != 2 {
		t.Errorf("got %d signatures, want two", got)
	}

	clock.Advance(time.Minute)
	last := next()
	p.verify(*second.Secret, last)
	if err := verifier.VerifyIgnoringTimestamp(last.raw, last.header); err == nil {
		t.Error("after 24 h: got a signature by the first secret, want none")
	}
	if got := show(http.MethodGet); got.PreviousExpires != nil {
		t.Errorf("got %+v, want one secret", got)
	}

	// Two rotations end the first secret at once: this is how to get rid of a leaked secret.
	third, fourth := show(http.MethodPost), show(http.MethodPost)
	known := next()
	p.verify(*third.Secret, known)
	p.verify(*fourth.Secret, known)
	if got := strings.Count(known.header.Get("Webhook-Signature"), "v1,"); got != 2 {
		t.Errorf("got %d signatures, want two", got)
	}
}

// A secret depends on the team and the installation, and is always the same.
func TestSecretsDiffer(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	other := setup(t, options{idle: true, url: p.URL, config: func(c *webhooks.Config) { c.MasterSecret = bytes.Repeat([]byte("n"), 32) }})
	again := setup(t, options{idle: true, url: p.URL})
	a := p.secret(team)
	if a == p.secret("team_b") || a == other.secret(team) || a != again.secret(team) {
		t.Error("want secrets that differ by team and master secret, and by nothing else")
	}
	// Receivers use secrets that were handed out, so the derivation must not change.
	if want := "whsec_"; !strings.HasPrefix(a, want) || len(a) != len(want)+44 {
		t.Errorf("got %s, want 32 bytes in base64", a)
	}
}

// The record for retries has no secret. If the record fails, so does the rotation.
func TestRotationIsRecordedWithoutItsSecret(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true})
	c := subscriber(team)
	var kept *webhooks.Secret
	c.OnRecord(func(_ context.Context, _ pgx.Tx, answer any) error {
		kept, _ = answer.(*webhooks.Secret)
		return nil
	})
	out, err := p.service.RotateSecret(t.Context(), c)
	must(t, err)
	if kept == nil || kept.Secret != nil || *kept.Created != *out.Created || out.Secret == nil {
		t.Errorf("got %+v kept and %+v answered, want the same but for the secret", kept, out)
	}
	refusing := subscriber(team)
	refusing.OnRecord(func(context.Context, pgx.Tx, any) error { return context.Canceled })
	if _, err := p.service.RotateSecret(t.Context(), refusing); err == nil {
		t.Error("got no error, want that of the record")
	}
	if got := p.secret(team); got != *out.Secret {
		t.Error("got another secret after a rotation that was not kept")
	}
}
