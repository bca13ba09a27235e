// Package apitest puts a feature behind HTTP as the service does, with the part of the edge in front of it that money
// depends on: identities that are signed, quotes, and what answers say of holds and costs. It is for tests.
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

	"github.com/turnpike-edge/turnpike/backend/httpapi"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/instance"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// A wallet, and the network that it pays on with which token.
const (
	Wallet  = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	USDC    = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	Network = "eip155:84532"
)

const publicURL = "https://api.example.com"

// API is features behind HTTP.
type API struct {
	t      testing.TB
	server *httpapi.Server
	signer *edgewire.Signer
}

// New puts config's features behind HTTP. What config does not say is as in every installation; Wallets and Idempotency
// it must.
func New(t testing.TB, config httpapi.Config) *API {
	t.Helper()
	secret := []byte("an identity secret of 32 bytes..")
	a := &API{t: t}
	var err error
	a.signer, err = edgewire.NewSigner(secret, "backend", time.Now)
	must(t, err)
	config.Verifier, err = edgewire.NewVerifier(secret, "backend", time.Now)
	must(t, err)
	config.Book, err = httpapi.DefaultBook()
	must(t, err)
	config.PublicURL, config.Logger, config.Now = publicURL, slog.New(slog.DiscardHandler), time.Now
	if config.Content == nil {
		config.Content = func(*httpapi.Server) http.Handler { return http.NotFoundHandler() }
	}
	a.server, err = httpapi.New(config)
	must(t, err)
	return a
}

// Handler is the service itself, for what makes calls of its own.
func (a *API) Handler() http.Handler { return a.server }

// Team is the identity of a subscriber's request that has nothing set aside.
func Team(teamID, keyID string) edgewire.Identity {
	return edgewire.Identity{
		ID: uuid.NewString(), Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: teamID, KeyID: keyID}, Unit: edgewire.UnitCredit,
	}
}

// Payment is the identity of a request that a wallet has paid for with a claim.
func Payment(claim string, paid int64) edgewire.Identity {
	return edgewire.Identity{
		ID: claim, Payer: edgewire.Payer{Kind: edgewire.PayerWallet, Network: Network, Address: Wallet}, Unit: edgewire.UnitUSDC, Max: paid,
	}
}

// Nobody is the identity of a request without a key; unit is what a price is asked for in, "" where none is.
func Nobody(unit edgewire.Unit) edgewire.Identity {
	return edgewire.Identity{Payer: edgewire.Payer{Kind: edgewire.PayerAnonymous}, Unit: unit}
}

// Send passes a request on under an identity, whose method, URI and body are filled in.
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

// Request is a request under an identity, as the edge passes it on.
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

// Serve answers a request over a connection of the test's own.
func (a *API) Serve(w http.ResponseWriter, r *http.Request) { a.server.ServeHTTP(w, r) }

// Quote asks for a price, as the edge does.
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

// Decode reads an answer that is no refusal.
func Decode[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil || w.Code != http.StatusOK {
		t.Fatalf("got %d %s (%v), want an answer", w.Code, w.Body, err)
	}
	return value
}

// WantRefused holds an answer to a code, and to what its detail says.
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

// Claim is the id of a wallet's claim that is settled, as it is when what is paid for is asked for.
func Claim(t testing.TB, pool *pgxpool.Pool, amount money.MicroUSDC, operation string) string {
	t.Helper()
	ctx := context.Background()
	edge, err := instance.Open(ctx, instance.Config{DB: pool, Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer func() { must(t, edge.Close(ctx)) }()
	must(t, edge.Announce(ctx, []string{Network + "/" + USDC}))
	store, id := x402.NewPostgresClaims(pool, edge.ID()), uuid.New()
	rec := &x402.Record{
		ID: id, Key: x402.Key{Network: Network, Asset: USDC, Payer: Wallet}, Version: 2, PayTo: Wallet, Amount: amount,
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
