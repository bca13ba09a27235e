package edgewire_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

const signAudience = "an upstream"

var signSecret = []byte(strings.Repeat("secret ", 6))

func signPair(t testing.TB) (*edgewire.Signer, *edgewire.Verifier) {
	t.Helper()
	signer, err := edgewire.NewSigner(signSecret, signAudience, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := edgewire.NewVerifier(signSecret, signAudience, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return signer, verifier
}

// verify checks a signed header as the upstream does.
func verify(v *edgewire.Verifier, signed string, id *edgewire.Identity) (*edgewire.Identity, error) {
	r := &http.Request{Method: id.Method, Header: http.Header{edgewire.IdentityHeader: {signed}}}
	return v.Verify(r, id.URI)
}

func TestSignedIsWhatIsVerified(t *testing.T) {
	t.Parallel()
	signer, verifier := signPair(t)
	for name, id := range map[string]edgewire.Identity{
		"a team": {
			ID: "019a", Method: "POST", URI: "/v1/scrapes?dry_run=true&x=<a>", BodySHA256: edgewire.HashBody([]byte("{}")),
			Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: "team_a", KeyID: "key_a"}, Unit: edgewire.UnitCredit, Max: 5,
		},
		"a wallet": {
			ID: "019b", Method: "GET", URI: "/", Unit: edgewire.UnitUSDC, Max: 1 << 62,
			Payer: edgewire.Payer{Kind: edgewire.PayerWallet, Network: "eip155:8453", Address: "0xAb"},
		},
		"nobody":    {ID: "019c", Method: "GET", URI: "/v1/crawls/1", Payer: edgewire.Payer{Kind: edgewire.PayerAnonymous}},
		"quotes":    {ID: "019d", Method: "GET", URI: `/a?q="b\c"`},
		"not ASCII": {ID: "019e", Method: "GET", URI: "/käse?\u2028=\x7f\x01"},
		"nothing":   {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signed, err := signer.Sign(&id)
			if err != nil {
				t.Fatal(err)
			}
			got, err := verify(verifier, signed, &id)
			if err != nil {
				t.Fatalf("verifying %s: %v", signed, err)
			}
			if !reflect.DeepEqual(*got, id) {
				t.Errorf("identity: got %+v, want %+v", *got, id)
			}
		})
	}
}

// The token is valid for its lifetime from now, and only with its own secret and audience.
func TestSignedIsGoodForOneUpstreamAndAMinute(t *testing.T) {
	t.Parallel()
	now := time.Now()
	id := edgewire.Identity{ID: "019a", Method: "GET", URI: "/"}
	signer, err := edgewire.NewSigner(signSecret, signAudience, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(&id)
	if err != nil {
		t.Fatal(err)
	}
	other := []byte(strings.Repeat("other! ", 6))
	for _, tc := range []struct {
		name     string
		secret   []byte
		audience string
		after    time.Duration
		want     bool
	}{
		{"at once", signSecret, signAudience, 0, true},
		{"near the end", signSecret, signAudience, edgewire.Lifetime - time.Second, true},
		{"too late", signSecret, signAudience, edgewire.Lifetime + time.Minute, false},
		{"before its time", signSecret, signAudience, -time.Minute, false},
		{"another secret", other, signAudience, 0, false},
		{"another audience", signSecret, "elsewhere", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			verifier, err := edgewire.NewVerifier(tc.secret, tc.audience, func() time.Time { return now.Add(tc.after) })
			if err != nil {
				t.Fatal(err)
			}
			if _, err := verify(verifier, signed, &id); (err == nil) != tc.want {
				t.Errorf("verifying: got error %v, want success %t", err, tc.want)
			}
		})
	}
}

// While a secret is rotated, signatures of either of the two secrets are accepted, and those of a third are not.
func TestTwoSecretsWhileOneIsRotated(t *testing.T) {
	t.Parallel()
	next, third := []byte(strings.Repeat("next!! ", 6)), []byte(strings.Repeat("third! ", 6))
	verifier, err := edgewire.NewVerifier(next, signAudience, time.Now, signSecret)
	if err != nil {
		t.Fatal(err)
	}
	id := edgewire.Identity{ID: "019a", Method: "GET", URI: "/"}
	for name, tt := range map[string]struct {
		secret []byte
		want   bool
	}{"the new": {next, true}, "the previous": {signSecret, true}, "another": {third, false}} {
		signer, err := edgewire.NewSigner(tt.secret, signAudience, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := signer.Sign(&id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify(verifier, signed, &id); (err == nil) != tt.want {
			t.Errorf("%s secret: got error %v, want success %t", name, err, tt.want)
		}
	}
	if _, err := edgewire.NewVerifier(next, signAudience, time.Now, signSecret[:8]); err == nil {
		t.Error("got no error for a short previous secret, want one")
	}
}

func TestShortSecretIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := edgewire.NewSigner(make([]byte, edgewire.SecretBytesMin-1), "a", time.Now); err == nil {
		t.Error("signer: got no error for a short secret, want one")
	}
	if _, err := edgewire.NewVerifier(make([]byte, edgewire.SecretBytesMin-1), "a", time.Now); err == nil {
		t.Error("verifier: got no error for a short secret, want one")
	}
}

// A client's URI must neither break out of its JSON string nor change.
func FuzzSign(f *testing.F) {
	for _, uri := range []string{"/", `/"`, `/\`, `/","max":9`, "/\x00", "/\xff", "/é", "/\u2028</script>"} {
		f.Add(uri, "team_a", int64(1))
	}
	signer, verifier := signPair(f)
	f.Fuzz(func(t *testing.T, uri, team string, amount int64) {
		id := edgewire.Identity{
			ID: "019a", Method: "GET", URI: uri, Unit: edgewire.UnitCredit, Max: amount,
			Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: team},
		}
		signed, err := signer.Sign(&id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := verify(verifier, signed, &id)
		if !utf8.ValidString(uri) {
			if err == nil {
				t.Errorf("URI %q is not UTF-8, and was taken as %q", uri, got.URI)
			}
			return
		}
		if err != nil {
			t.Fatalf("verifying %s: %v", signed, err)
		}
		if utf8.ValidString(team) && !reflect.DeepEqual(*got, id) {
			t.Errorf("identity: got %+v, want %+v", *got, id)
		}
	})
}

// About 1 µs and one allocation, which is the token.
func BenchmarkSign(b *testing.B) {
	signer, _ := signPair(b)
	id := edgewire.Identity{
		ID: "019a1c2e-6a3b-7c4d-8e5f-0123456789ab", Method: "POST", URI: "/v1/scrapes",
		Payer: edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: "team_0123456789abcdefghjkmnpq", KeyID: "key_0123456789abcdefghjkmnpq"},
		Unit:  edgewire.UnitCredit, Max: 1,
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := signer.Sign(&id); err != nil {
			b.Fatal(err)
		}
	}
}
