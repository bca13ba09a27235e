package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/apikey"
)

// keyObject is a key in a response of /user/keys.
type keyObject struct {
	ID          string     `json:"id"`
	Object      string     `json:"object"`
	Name        string     `json:"name"`
	Key         *string    `json:"key"`
	Prefix      string     `json:"prefix"`
	Scopes      []string   `json:"scopes"`
	CreatedAt   time.Time  `json:"created_at"`
	ExpiresAt   *time.Time `json:"expires_at"`
	LastUsedAt  *time.Time `json:"last_used_at"`
	RevokedAt   *time.Time `json:"revoked_at"`
	RotatedFrom *string    `json:"rotated_from"`
	ReplacedBy  *string    `json:"replaced_by"`
	Current     bool       `json:"current"`
}

func bearerOf(key string) []string { return []string{"Authorization", "Bearer " + key} }

// another creates another key of the purse's team.
func (p *purse) another(t *testing.T, scopes apikey.Scopes) apikey.Created {
	t.Helper()
	key, err := apikey.NewIssuer(p.s.pool).Create(t.Context(), apikey.NewKey{TeamID: p.team, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// keys calls /user/keys and the paths below it.
func (s *stack) keys(method, path, body string, bearer []string) call {
	return call{method: method, url: s.edge + "/user/keys" + path, body: body}.with(bearer...)
}

func keyIn(t *testing.T, a answer) keyObject {
	t.Helper()
	a.wantStatus(t, http.StatusOK)
	var key keyObject
	a.json(t, &key)
	return key
}

func TestKeyWithoutTheScope(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p, page := s.purse(t, 10), s.pages.fresh()
	read := bearerOf(p.another(t, apikey.ScopeRead).Key)
	write := bearerOf(p.another(t, apikey.ScopeWrite).Key)
	usual := bearerOf(p.another(t, apikey.ScopesUsual).Key)
	billing := bearerOf(p.another(t, apikey.ScopeBilling).Key)
	get := func(path string) call { return call{method: http.MethodGet, url: s.edge + path} }
	post := func(path string) call { return call{url: s.edge + path, body: "{}"} }
	t.Run("refused", func(t *testing.T) {
		for _, tc := range []struct {
			name    string
			call    call
			key     []string
			missing string
		}{
			{"a scrape by read", s.scrape(page), read, "write"},
			{"a scrape by billing", s.scrape(page), billing, "write"},
			{"credits by write", get("/user/credits/info"), write, "read"},
			{"usage by billing", get("/user/usage"), billing, "read"},
			{"what needs no key, by write", get("/v1/scrapes/scrape_x"), write, "read"},
			{"the keys by read", get("/user/keys"), read, "billing"},
			{"a key by write", post("/user/keys"), write, "billing"},
			{"a top-up by read and write", post("/user/purchase-topup"), usual, "billing"},
			{"a card by read and write", post("/user/payment-method"), usual, "billing"},
			{"the card by read and write", get("/user/payment-method"), usual, "billing"},
			{"the end of a key by read and write", call{method: http.MethodDelete, url: s.edge + "/user/keys/" + p.keyID}, usual, "billing"},
			{"a rotation by read and write", post("/user/keys/" + p.keyID + "/rotate"), usual, "billing"},
			{"a top-up in capitals", post("/user/PURCHASE-topup"), usual, "billing"},
			{"a top-up in code", post("/user/purchase%2dtopup"), usual, "billing"},
			{"a top-up with a slash", post("/user/purchase-topup/"), usual, "billing"},
			{"a top-up with two slashes", post("/user//purchase-topup"), usual, "billing"},
			{"a top-up by a way round", post("/user/keys/../purchase-topup"), usual, "billing"},
			{"a write as a read", s.scrape(page).with("X-HTTP-Method-Override", "GET"), read, "write"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				got := tc.call.with(tc.key...).do(t).refused(t, http.StatusForbidden, "access_denied", fmt.Sprintf("the scope %q", tc.missing), "Nothing was charged")
				if got.Metadata["required_scope"] != tc.missing {
					t.Errorf("metadata: got %v, want required_scope %s", got.Metadata, tc.missing)
				}
			})
		}
	})
	p.wantUntouched(t)
	s.pages.wantFetched(t, page, 0)
	t.Run("with the scope", func(t *testing.T) {
		t.Parallel()
		get("/user/credits/info").with(read...).do(t).wantStatus(t, http.StatusOK)
		get("/user/usage").with(usual...).do(t).wantStatus(t, http.StatusOK)
		get("/user/keys").with(billing...).do(t).wantStatus(t, http.StatusOK)
		get("/pricing").with(billing...).do(t).wantStatus(t, http.StatusOK)
	})
}

// TestKeysThroughTheEdge creates a key with another one, uses it, rotates it and lets it revoke itself, through the edge.
// The key must not be in any process's log.
func TestKeysThroughTheEdge(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.purse(t, 10)
	first := keyIn(t, s.keys(http.MethodPost, "", `{"name": "robot", "scopes": ["read", "write", "billing"]}`, p.bearer()).do(t))
	if first.Key == nil || first.Object != "key" || !strings.HasPrefix(*first.Key, first.Prefix) {
		t.Fatalf("made: got %+v, want a key", first)
	}
	s.scrape(s.pages.fresh()).with(bearerOf(*first.Key)...).do(t).wantStatus(t, http.StatusOK)

	second := keyIn(t, s.keys(http.MethodPost, "/"+first.ID+"/rotate", `{"overlap_seconds": 3600}`, bearerOf(*first.Key)).do(t))
	if second.Key == nil || second.RotatedFrom == nil || *second.RotatedFrom != first.ID || second.Name != "robot" || len(second.Scopes) != 3 {
		t.Fatalf("rotated: got %+v, want one like the first", second)
	}
	for _, key := range []string{*first.Key, *second.Key} {
		s.scrape(s.pages.fresh()).with(bearerOf(key)...).do(t).wantStatus(t, http.StatusOK)
	}
	var list struct{ Keys []keyObject }
	s.keys(http.MethodGet, "", "", bearerOf(*second.Key)).do(t).json(t, &list)
	if len(list.Keys) != 3 || list.Keys[0].ID != second.ID || !list.Keys[0].Current || list.Keys[1].ReplacedBy == nil ||
		*list.Keys[1].ReplacedBy != second.ID || list.Keys[1].ExpiresAt == nil || list.Keys[2].ID != p.keyID {
		t.Errorf("list: got %+v, want the three with the newest first", list.Keys)
	}

	third := keyIn(t, s.keys(http.MethodPost, "/"+second.ID+"/rotate", `{"overlap_seconds": 0}`, p.bearer()).do(t))
	s.scrape(s.pages.fresh()).with(bearerOf(*second.Key)...).do(t).refused(t, http.StatusUnauthorized, "invalid_api_key")
	s.scrape(s.pages.fresh()).with(bearerOf(*third.Key)...).do(t).wantStatus(t, http.StatusOK)

	ended := keyIn(t, s.keys(http.MethodDelete, "/"+third.ID, "", bearerOf(*third.Key)).do(t))
	if !ended.Current || ended.RevokedAt == nil || ended.Key != nil {
		t.Errorf("ended by itself: got %+v, want it revoked", ended)
	}
	s.scrape(s.pages.fresh()).with(bearerOf(*third.Key)...).do(t).refused(t, http.StatusUnauthorized, "invalid_api_key")
	p.wantSpent(t, 4)
	s.wantNotInLogs(t, p.key, *first.Key, *second.Key, *third.Key)
}

// wantNotInLogs searches the logs of all processes.
func (s *stack) wantNotInLogs(t *testing.T, secrets ...string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(s.dir, "*.log"))
	if err != nil || len(logs) < 2 {
		t.Fatalf("logs: got %q, %v, want the edge's and the backend's", logs, err)
	}
	for _, name := range logs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s: has a key in it", filepath.Base(name))
			}
		}
	}
}

// TestKeyThatExpiresInUse shows that a key expires on time, although the edge has just found it valid.
func TestKeyThatExpiresInUse(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.purse(t, 10)
	key := keyIn(t, s.keys(http.MethodPost, "", `{"name": "short", "expires_in": 5}`, p.bearer()).do(t))
	read := call{method: http.MethodGet, url: s.edge + "/user/credits/info"}.with(bearerOf(*key.Key)...)
	read.do(t).wantStatus(t, http.StatusOK)
	eventually(t, "the key's end", func() error {
		if got := read.do(t); got.status != http.StatusUnauthorized {
			return fmt.Errorf("got %d, want 401", got.status)
		}
		return nil
	})
	if late := time.Since(*key.ExpiresAt); late < 0 {
		t.Errorf("refused %s before its end", -late)
	}
	read.do(t).refused(t, http.StatusUnauthorized, "invalid_api_key", "expired on "+key.ExpiresAt.Format(time.RFC3339))
}

func TestUsageThroughTheEdge(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.purse(t, 10)
	for range 2 {
		s.scrape(s.pages.fresh()).with(p.bearer()...).do(t).wantStatus(t, http.StatusOK)
	}
	p.wantSpent(t, 2)
	for by, want := range map[string]string{
		"day": time.Now().UTC().Format(time.DateOnly), "endpoint": "scrape", "key": p.keyID,
	} {
		answer := call{method: http.MethodGet, url: s.edge + "/user/usage?group_by=" + by}.with(p.bearer()...).do(t)
		answer.wantStatus(t, http.StatusOK)
		var got struct {
			Credits, Requests json.Number
			Usage             []struct {
				Day, Endpoint     *string
				KeyID             *string `json:"key_id"`
				Credits, Requests json.Number
			}
		}
		answer.json(t, &got)
		if got.Credits != "2" || got.Requests != "2" || len(got.Usage) != 1 || !strings.Contains(string(answer.body), want) {
			t.Errorf("by %s: got %s, want 2 credits of 2 requests, of %s", by, answer.body, want)
		}
	}
	var info struct {
		Credits, Held, Owed json.Number
		AllowUsage          bool `json:"allow_usage"`
		Breakdown           []struct {
			Kind      string      `json:"purchase_kind"`
			Allocated json.Number `json:"allocated_units"`
			Remaining json.Number `json:"remaining_units"`
			Expiry    *string     `json:"expiry_date"`
		}
	}
	call{method: http.MethodGet, url: s.edge + "/user/credits/info"}.with(p.bearer()...).do(t).json(t, &info)
	if info.Credits != "8" || info.Held != "0" || info.Owed != "0" || !info.AllowUsage || len(info.Breakdown) != 1 ||
		info.Breakdown[0].Kind != "grant" || info.Breakdown[0].Allocated != "10" || info.Breakdown[0].Remaining != "8" || info.Breakdown[0].Expiry != nil {
		t.Errorf("credits: got %+v, want 8 of the 10 that were granted", info)
	}
}
