//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"net/http"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/apikey"
)

const scopedSite = `
	api_key {
		anonymous /things/*
		public /docs
		scope billing /user/topup /user/keys /user/keys/*
		scope write /exports
	}
	meter {
		price GET,POST,PUT,DELETE /* free
	}
	reverse_proxy UPSTREAM`

// addKey makes a key of the rich team with these scopes.
func (e *edge) addKey(key string, scopes apikey.Scopes) []string {
	e.ledger.principals[key] = &apikey.Principal{
		TeamID: "team_rich", KeyID: "key_" + key, Key: 1, Account: 1, Scopes: scopes,
	}
	return []string{"Authorization", "Bearer " + key}
}

func TestScopes(t *testing.T) {
	e := newEdge(t, scopedSite)
	read, write := e.addKey("read", apikey.ScopeRead), e.addKey("write", apikey.ScopeWrite)
	billing, usual := e.addKey("billing", apikey.ScopeBilling), e.addKey("usual", apikey.ScopesUsual)
	for _, tt := range []struct {
		name, method, uri string
		key               []string
		missing           string // empty: served
	}{
		{"read reads", "GET", "/x", read, ""},
		{"read heads", "HEAD", "/x", read, ""},
		{"read cannot write", "POST", "/x", read, "write"},
		{"read cannot delete", "DELETE", "/x", read, "write"},
		{"write writes", "PUT", "/x", write, ""},
		{"write cannot read", "GET", "/x", write, "read"},
		{"write cannot read what anybody may", "GET", "/things/1", write, "read"},
		{"public needs none", "GET", "/docs", billing, ""},
		{"billing cannot read", "GET", "/x", billing, "read"},
		{"billing on its path, to write", "POST", "/user/topup", billing, ""},
		{"billing on its path, to read", "GET", "/user/keys", billing, ""},
		{"billing below its path", "DELETE", "/user/keys/key_1", billing, ""},
		{"usual cannot buy", "POST", "/user/topup", usual, "billing"},
		{"usual cannot list keys", "GET", "/user/keys", usual, "billing"},
		{"usual cannot end keys", "DELETE", "/user/keys/key_1", usual, "billing"},
		{"another scope by path", "GET", "/exports", read, "write"},
		{"another scope by path, had", "GET", "/exports", write, ""},
		{"in capitals", "POST", "/user/TOPUP", usual, "billing"},
		{"encoded", "POST", "/user/%74opup", usual, "billing"},
		{"encoded twice", "POST", "/user/%2574opup", usual, "billing"},
		{"slash at the end", "POST", "/user/topup/", usual, "billing"},
		{"slash doubled", "POST", "//user//topup", usual, "billing"},
		{"parameters", "POST", "/user/topup;x=1", usual, "billing"},
		{"dot segments", "POST", "/user/x/../topup", usual, "billing"},
		{"by another method in the header", "GET", "/x", write, "read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := e.calls.Load()
			a := e.do(tt.method, tt.uri, "", append(tt.key, "X-Http-Method-Override", "POST")...)
			if tt.missing == "" {
				if a.status != http.StatusOK {
					t.Errorf("got %+v, want it served", a)
				}
				return
			}
			o := a.wantError(t, http.StatusForbidden, "access_denied")
			want := `This request requires the scope "` + tt.missing + `", which this API key does not have. Nothing was charged.`
			if o.Detail != want || o.Metadata["required_scope"] != tt.missing {
				t.Errorf("got %q and metadata %v, want %q", o.Detail, o.Metadata, want)
			}
			if e.calls.Load() != calls {
				t.Error("a refused request reached the upstream")
			}
		})
	}
	e.wantBalance(1000)
}
