package apikey

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/apikey"
)

type oneKey apikey.Principal

func (k *oneKey) Resolve(context.Context, string) (*apikey.Principal, error) {
	return (*apikey.Principal)(k), nil
}

// Checking a request's scope must not allocate.
func BenchmarkScope(b *testing.B) {
	rule, err := (&ScopePaths{Scope: "billing", Paths: []string{"/user/purchase-topup", "/user/payment-method", "/user/keys", "/user/keys/*"}}).compile()
	if err != nil {
		b.Fatal(err)
	}
	k := &Handler{scopes: []scopeRule{rule}}
	r := httptest.NewRequest(http.MethodPost, "/v1/scrapes", http.NoBody)
	r.Header.Set("Authorization", "Bearer x")
	keys := &oneKey{Scopes: apikey.ScopesUsual}
	b.ReportAllocs()
	for b.Loop() {
		p, err := bearer(keys, r)
		if err != nil || !p.Scopes.Has(k.needed(r.Method, r.URL.EscapedPath())) {
			b.Fatal("refused")
		}
	}
}
