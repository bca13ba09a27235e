package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// asks is a free request with a team's key.
func asks(team, key string) *edgewire.Identity {
	return &edgewire.Identity{
		ID: uuid.NewString(), Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: team, KeyID: key}, Unit: edgewire.UnitCredit,
	}
}

func (s *service) key(scopes apikey.Scopes) apikey.Created {
	s.t.Helper()
	key, err := apikey.NewIssuer(s.pool).Create(s.t.Context(), apikey.NewKey{TeamID: s.team, Name: "of the test", Scopes: scopes})
	must(s.t, err)
	return key
}

func (s *service) send(by *edgewire.Identity, method, uri, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(call{method: method, uri: uri, body: body, identity: by})
}

func (s *service) listed(by *edgewire.Identity) []accounts.Key {
	s.t.Helper()
	w := s.get(by, "/user/keys")
	wantStatus(s.t, w, http.StatusOK)
	return decoded[struct{ Keys []accounts.Key }](s.t, w).Keys
}

// A key is created, listed without its secret, and ended. Each response shows it in the same shape.
func TestKeysByTheirTeam(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	first := s.key(0)
	me := asks(s.team, first.ID)
	w := s.send(me, http.MethodPost, "/user/keys", `{"name": " Deploy ", "scopes": ["billing", "read"], "expires_in": 3600}`)
	wantStatus(t, w, http.StatusOK)
	made := decoded[accounts.Key](t, w)
	if made.Key == nil || !strings.HasPrefix(*made.Key, made.Prefix) || made.Name != "Deploy" || made.Object != "key" ||
		strings.Join(made.Scopes, ",") != "read,billing" || made.Current || made.RevokedAt != nil || made.LastUsedAt != nil {
		t.Errorf("made: got %s, want the key with what was asked for", w.Body)
	}
	if want := s.clock.Now().Add(time.Hour); made.ExpiresAt == nil || !made.ExpiresAt.Equal(want) {
		t.Errorf("expires_at: got %v, want %s", made.ExpiresAt, want)
	}
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control: got %q, want no-store", got)
	}
	principal, err := apikey.NewStore(s.pool, s.clock.Now).Resolve(t.Context(), *made.Key)
	if err != nil || principal.KeyID != made.ID || principal.TeamID != s.team {
		t.Errorf("the key: got %+v, %v, want %s", principal, err, made.ID)
	}

	list := s.listed(me)
	if len(list) != 2 || list[0].ID != made.ID || list[1].ID != first.ID || list[0].Current || !list[1].Current {
		t.Errorf("list: got %+v, want the new one and then the one that asks", list)
	}
	if raw := s.get(me, "/user/keys").Body.String(); strings.Contains(raw, *made.Key) || strings.Contains(raw, first.Key) {
		t.Errorf("list: got a key in %s", raw)
	}
	if log := s.log.String(); strings.Contains(log, *made.Key) {
		t.Errorf("log: got the key in it")
	}

	for range 2 { // a second time is no error
		w = s.send(me, http.MethodDelete, "/user/keys/"+made.ID, "")
		wantStatus(t, w, http.StatusOK)
		if revoked := decoded[accounts.Key](t, w); revoked.ID != made.ID || revoked.RevokedAt == nil || revoked.Key != nil || revoked.Name != "Deploy" {
			t.Errorf("revoked: got %s", w.Body)
		}
	}
	w = s.send(me, http.MethodDelete, "/user/keys/"+first.ID, "")
	wantStatus(t, w, http.StatusOK)
	if itself := decoded[accounts.Key](t, w); !itself.Current || itself.RevokedAt == nil {
		t.Errorf("itself: got %s, want it revoked and current", w.Body)
	}
	// The edge may pass on one more request of a key that was just ended. It creates nothing.
	wantError(t, s.send(me, http.MethodPost, "/user/keys", `{"name": "late"}`), problem.InvalidAPIKey)
}

func TestKeysThatAreNotMade(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	s.key(0)
	billing := asks(s.team, s.key(apikey.ScopeBilling|apikey.ScopeRead).ID)
	past := s.clock.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	for _, tt := range []struct {
		name, body string
		code       problem.Code
		says       string
	}{
		{"no body", ``, problem.ValidationError, "body"},
		{"no name", `{"scopes": ["read"]}`, problem.ValidationError, "name"},
		{"an empty name", `{"name": ""}`, problem.ValidationError, "body.name"},
		{"a blank name", `{"name": "  "}`, problem.ValidationError, "body.name: must not be empty"},
		{"a name too long", `{"name": "` + strings.Repeat("n", 101) + `"}`, problem.ValidationError, "body.name"},
		{"a name on two lines", `{"name": "a\nb"}`, problem.ValidationError, "control characters"},
		{"an unknown scope", `{"name": "a", "scopes": ["admin"]}`, problem.ValidationError, "body.scopes"},
		{"no scope", `{"name": "a", "scopes": []}`, problem.ValidationError, "body.scopes"},
		{"scopes as text", `{"name": "a", "scopes": "read"}`, problem.ValidationError, "body.scopes"},
		{"an end in the past", `{"name": "a", "scopes": ["read"], "expires_at": "` + past + `"}`, problem.ValidationError, "body.expires_at: must be in the future"},
		{"an end that is no time", `{"name": "a", "expires_at": "tomorrow"}`, problem.ValidationError, "body.expires_at"},
		{"an end in no time", `{"name": "a", "expires_in": 0}`, problem.ValidationError, "body.expires_in"},
		{"an end in an age", `{"name": "a", "expires_in": 315360001}`, problem.ValidationError, "body.expires_in"},
		{"two ends", `{"name": "a", "expires_in": 5, "expires_at": "2999-01-01T00:00:00Z"}`, problem.ValidationError, "cannot be combined"},
		{"an unknown field", `{"name": "a", "team": "team_x"}`, problem.ValidationError, "body.team"},
		{"scopes that the key lacks", `{"name": "a", "scopes": ["read", "write"]}`, problem.AccessDenied, "lacks write"},
		{"the usual, which the key lacks", `{"name": "a"}`, problem.AccessDenied, "lacks write"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := wantError(t, s.send(billing, http.MethodPost, "/user/keys", tt.body), tt.code)
			if !strings.Contains(e.Detail, tt.says) {
				t.Errorf("detail: got %q, want %q in it", e.Detail, tt.says)
			}
		})
	}
	if n := len(s.listed(billing)); n != 2 {
		t.Errorf("after all that: got %d keys, want 2", n)
	}
	for range apikey.LiveMax - 2 {
		s.key(apikey.ScopeRead)
	}
	e := wantError(t, s.send(billing, http.MethodPost, "/user/keys", `{"name": "a", "scopes": ["read"]}`), problem.InvalidState)
	if !strings.Contains(e.Detail, "100 active keys") {
		t.Errorf("detail: got %q, want the limit", e.Detail)
	}
}

func TestKeysAreRotated(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	first := s.key(0)
	me := asks(s.team, first.ID)
	rotate := func(id, body string) *httptest.ResponseRecorder {
		t.Helper()
		return s.send(me, http.MethodPost, "/user/keys/"+id+"/rotate", body)
	}
	old := s.key(apikey.ScopesUsual)
	w := rotate(old.ID, "")
	wantStatus(t, w, http.StatusOK)
	made := decoded[accounts.Key](t, w)
	if made.Key == nil || made.RotatedFrom == nil || *made.RotatedFrom != old.ID || made.Name != "of the test" || len(made.Scopes) != 2 {
		t.Errorf("got %s, want a new key like %s", w.Body, old.ID)
	}
	list := s.listed(me)
	if replaced := list[1]; replaced.ID != old.ID || replaced.ReplacedBy == nil || *replaced.ReplacedBy != made.ID || replaced.ExpiresAt == nil ||
		time.Until(*replaced.ExpiresAt).Round(time.Hour) != 24*time.Hour {
		t.Errorf("list: got %+v, want the old key to end in a day", list)
	}
	wantError(t, rotate(old.ID, `{"overlap_seconds": 0}`), problem.InvalidState)
	w = rotate(made.ID, `{"overlap_seconds": 0}`)
	wantStatus(t, w, http.StatusOK)
	if got := s.listed(me)[2]; got.RevokedAt == nil && got.ID == made.ID {
		t.Errorf("rotated at once: got %+v, want it revoked", got)
	}
	wantError(t, rotate(made.ID, ""), problem.InvalidState)
	for _, body := range []string{`{"overlap_seconds": -1}`, `{"overlap_seconds": 2592001}`, `{"overlap_seconds": "1h"}`, `{"overlap": 1}`, `[]`} {
		wantError(t, rotate(first.ID, body), problem.ValidationError)
	}
	few := asks(s.team, s.key(apikey.ScopeBilling).ID)
	wantError(t, s.send(few, http.MethodPost, "/user/keys/"+first.ID+"/rotate", ""), problem.AccessDenied)
	// The requesting key may rotate itself.
	wantStatus(t, rotate(first.ID, ""), http.StatusOK)
}

// Another team's key looks like one that does not exist.
func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	theirs := s.key(0)
	s.team = s.newTeam()
	me := asks(s.team, s.key(0).ID)
	for _, method := range []string{"DELETE /user/keys/%", "POST /user/keys/%/rotate"} {
		method, path, _ := strings.Cut(method, " ")
		var said [2]string
		for i, id := range []string{theirs.ID, "key_0000000000000000000000000"} {
			e := wantError(t, s.send(me, method, strings.Replace(path, "%", id, 1), ""), problem.KeyNotFound)
			said[i] = e.Detail
		}
		if said[0] != said[1] {
			t.Errorf("%s: got %q and %q, want the same", method, said[0], said[1])
		}
	}
	if len(s.listed(me)) != 1 {
		t.Error("list: got another team's keys")
	}
	if _, err := apikey.NewStore(s.pool, s.clock.Now).Resolve(t.Context(), theirs.Key); err != nil {
		t.Errorf("their key: %v", err)
	}
	for _, call := range []string{"GET /user/keys", "POST /user/keys", "DELETE /user/keys/key_x", "POST /user/keys/key_x/rotate", "GET /user/usage"} {
		method, path, _ := strings.Cut(call, " ")
		wantError(t, s.send(nobody(), method, path, `{"name": "a"}`), problem.InvalidAPIKey)
	}
}
