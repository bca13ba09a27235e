// Package apitest serves a feature over HTTP for tests, the same way as the real service. It also simulates the part of
// the edge that handles money: it signs identities, asks for quotes and reads the response headers on holds and costs.
package apitest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/instance"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// The test wallet, and the token and network that it pays with.
const (
	Wallet  = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	USDC    = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	Network = "eip155:84532"
)

const publicURL = "https://api.example.com"

// API serves features over HTTP.
type API struct {
	t      testing.TB
	server *api.Server
	signer *edgewire.Signer
}

// New serves config's features over HTTP. Fields that are not set get the usual values; Wallets and Idempotency are required.
func New(t testing.TB, config api.Config) *API {
	t.Helper()
	secret := []byte("an identity secret of 32 bytes..")
	a := &API{t: t}
	var err error
	a.signer, err = edgewire.NewSigner(secret, "backend", time.Now)
	must(t, err)
	config.Verifier, err = edgewire.NewVerifier(secret, "backend", time.Now)
	must(t, err)
	config.Book, err = pricebook.New()
	must(t, err)
	config.PublicURL, config.Logger, config.Now = publicURL, slog.New(slog.DiscardHandler), time.Now
	if config.Content == nil {
		config.Content = func(*api.Server) http.Handler { return http.NotFoundHandler() }
	}
	a.server, err = api.New(config)
	must(t, err)
	return a
}

// Handler returns the service itself, for code that sends its own requests.
func (a *API) Handler() http.Handler { return a.server }

// Team is the identity of a subscriber's request without a credit hold.
func Team(teamID, keyID string) edgewire.Identity {
	return edgewire.Identity{
		ID: uuid.NewString(), Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: teamID, KeyID: keyID}, Unit: edgewire.UnitCredit,
	}
}

// Payment is the identity of a request that a wallet paid for with the payment claim.
func Payment(claim string, paid int64) edgewire.Identity {
	return edgewire.Identity{
		ID: claim, Payer: edgewire.Payer{Kind: edgewire.PayerWallet, Network: Network, Address: Wallet}, Unit: edgewire.UnitUSDC, Max: paid,
	}
}

// Nobody is the identity of a request without a key. unit is the currency of a requested price, or "" if no price is requested.
func Nobody(unit edgewire.Unit) edgewire.Identity {
	return edgewire.Identity{Payer: edgewire.Payer{Kind: edgewire.PayerAnonymous}, Unit: unit}
}

// Send sends a request with an identity, and fills in the identity's method, URI and body.
func (a *API) Send(method, uri, body string, id edgewire.Identity, headers ...string) *httptest.ResponseRecorder {
	a.t.Helper()
	r := a.Request(method, uri, body, id)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	return w
}

// Request returns a request with an identity, in the form in which the edge forwards it.
func (a *API) Request(method, uri, body string, id edgewire.Identity) *http.Request {
	a.t.Helper()
	r := httptest.NewRequest(method, strings.TrimPrefix(uri, "/x402"), strings.NewReader(body))
	id.Method, id.URI = method, uri
	if body != "" {
		id.BodySHA256 = edgewire.HashBody([]byte(body))
	}
	token, err := a.signer.Sign(&id)
	must(a.t, err)
	r.Header.Set(edgewire.IdentityHeader, token)
	return r
}

// Serve handles a request over a connection that the test provides.
func (a *API) Serve(w http.ResponseWriter, r *http.Request) { a.server.ServeHTTP(w, r) }

// Quote requests a price, as the edge does.
func (a *API) Quote(uri, body string, id edgewire.Identity) (int64, *httptest.ResponseRecorder) {
	a.t.Helper()
	w := a.Send(http.MethodPost, price.QuotePath+"?method=POST&unit="+string(id.Unit)+"&uri="+uri, body, id)
	var answer struct {
		Amount int64 `json:"amount"`
	}
	if w.Code == http.StatusOK {
		must(a.t, json.Unmarshal(w.Body.Bytes(), &answer))
	}
	return answer.Amount, w
}

// Decode decodes a successful response.
func Decode[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil || w.Code != http.StatusOK {
		t.Fatalf("got %d %s (%v), want an answer", w.Code, w.Body, err)
	}
	return value
}

// WantRefused checks that a response is an error with the code, and that its detail contains parts.
func WantRefused(t testing.TB, w *httptest.ResponseRecorder, code problem.Code, parts ...string) {
	t.Helper()
	var e problem.Object
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != code.Kind().Status || e.Code != code {
		t.Fatalf("got %d %.300s, want %s", w.Code, w.Body, code)
	}
	for _, part := range parts {
		if !strings.Contains(e.Detail, part) {
			t.Errorf("got detail %q, want %q in it", e.Detail, part)
		}
	}
	if w.Header().Get(edgewire.AdoptedHeader) != "" {
		t.Error("got a refusal that says that the hold was adopted")
	}
}

// Claim creates a settled payment claim of a wallet and returns its id: the state when a paid request arrives.
func Claim(t testing.TB, pool *pgxpool.Pool, amount money.MicroUSDC, operation string) string {
	t.Helper()
	ctx := context.Background()
	edge, err := instance.Open(ctx, instance.Config{DB: pool, Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer func() { must(t, edge.Close(ctx)) }()
	must(t, edge.Announce(ctx, []string{Network + "/" + USDC}))
	store, id := claims.NewPostgres(pool, edge.ID()), uuid.New()
	rec := &claims.Record{
		ID: id, Key: claims.Key{Network: Network, Asset: USDC, Payer: Wallet}, Version: 2, PayTo: Wallet, Amount: amount,
		Payment: []byte(`{}`), Method: http.MethodPost, URI: publicURL + "/x402/v1/anything", Operation: operation, Settle: price.SettleBefore,
		LapsesAt: time.Now().Add(time.Hour), KeepUntil: time.Now().Add(time.Hour), CreatedAt: time.Now(),
	}
	copy(rec.Key.Nonce[:], id[:])
	copy(rec.PayloadHash[:], id[:])
	_, _, err = store.Claim(ctx, rec, x402.Checked{})
	must(t, err)
	must(t, store.Settling(ctx, id))
	must(t, store.Settled(ctx, id, x402.Settlement{Transaction: "0x" + strings.Repeat("a", 64)}, true))
	return id.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
