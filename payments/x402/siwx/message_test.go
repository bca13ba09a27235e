package siwx

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// TestSignInVector compares the message with one that was written by hand (EIP-4361).
func TestSignInVector(t *testing.T) {
	t.Parallel()
	s := Message{
		domain: "api.example.com", address: "0x857b06519E91e3A54538791bDbb0E22373e36b66", statement: "Sign in to access premium data",
		uri: "https://api.example.com/premium-data", version: "1", chainID: "eip155:8453", Nonce: "a1b2c3d4e5f67890a1b2c3d4e5f67890",
		issuedAt: "2024-01-15T10:30:00.000Z", expirationTime: "2024-01-15T10:35:00.000Z", resources: []string{"https://api.example.com/premium-data"},
	}
	const want = `api.example.com wants you to sign in with your Ethereum account:
0x857b06519E91e3A54538791bDbb0E22373e36b66

Sign in to access premium data

URI: https://api.example.com/premium-data
Version: 1
Chain ID: 8453
Nonce: a1b2c3d4e5f67890a1b2c3d4e5f67890
Issued At: 2024-01-15T10:30:00.000Z
Expiration Time: 2024-01-15T10:35:00.000Z
Resources:
- https://api.example.com/premium-data`
	if got := s.Text(); got != want {
		t.Errorf("text:\ngot  %q\nwant %q", got, want)
	}
	s.statement = ""
	if got := s.Text(); !strings.HasPrefix(got, "api.example.com wants you to sign in with your Ethereum account:\n"+s.address+"\n\n\nURI: ") {
		t.Errorf("without a statement: got %q", got)
	}
}

// FuzzSignIn shows that a header is either refused or has exactly one meaning.
func FuzzSignIn(f *testing.F) {
	f.Add(base64.StdEncoding.EncodeToString([]byte(`{"domain":"api.example.com","address":"0x857b06519E91e3A54538791bDbb0E22373e36b66",` +
		`"uri":"https://api.example.com/reports","version":"1","chainId":"eip155:8453","type":"eip191","nonce":"a1b2c3d4e5f67890",` +
		`"issuedAt":"2024-01-15T10:30:00.000Z","signature":"0x1b"}`)))
	f.Add("e30=")
	f.Add(base64.StdEncoding.EncodeToString([]byte(`{"resources":["a",1],"domain":"a\nb"}`)))
	f.Fuzz(func(t *testing.T, header string) {
		s, refusal := Read([]string{header})
		if (s == nil) == (refusal == nil) {
			t.Fatalf("got %+v and %v", s, refusal)
		}
		if refusal != nil {
			if refusal.Status() < 400 || refusal.Message == "" {
				t.Errorf("got status %d, %q", refusal.Status(), refusal.Message)
			}
			return
		}
		lines := 8
		if s.statement != "" {
			lines++
		}
		for _, field := range []string{s.expirationTime, s.notBefore, s.requestID} {
			if field != "" {
				lines++
			}
		}
		if n := len(s.resources); n > 0 {
			lines += n + 1
		}
		if got := strings.Count(s.Text(), "\n") + 1; got != lines+1 {
			t.Errorf("text has %d lines, want %d: %q", got, lines+1, s.Text())
		}
		offered := []x402.Requirements{{Network: x402.Base()}}
		if refusal := s.Check("https://api.example.com/reports?day=1", offered, time.Now()); refusal == nil && (s.domain != "api.example.com" || s.Network != x402.Base()) {
			t.Errorf("got %+v for another domain or network", s)
		}
	})
}
