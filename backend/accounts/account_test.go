package accounts

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestNormalWallet(t *testing.T) {
	t.Parallel()
	const want = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // EIP-55's own example
	for _, address := range []string{want, strings.ToLower(want), "0x" + strings.ToUpper(want[2:])} {
		if network, got, err := normalWallet("eip155:8453", address); err != nil || got != want || network != "eip155:8453" {
			t.Errorf("%s: got %s, %s, %v, want %s", address, network, got, err, want)
		}
	}
	for _, bad := range [][2]string{
		{"base", want},
		{"eip155:", want},
		{"eip155:01", want},
		{"solana:x", want},
		{"eip155:1\n", want},
		{"eip155:1", want[:41]},
		{"eip155:1", want + "0"},
		{"eip155:1", want[2:]},
		{"eip155:1", want[:41] + "g"},
		{"eip155:1", ""},
	} {
		if _, _, err := normalWallet(bad[0], bad[1]); !errors.Is(err, ErrInvalidWallet) {
			t.Errorf("%q: got %v, want ErrInvalidWallet", bad, err)
		}
	}
}

func FuzzNormalWallet(f *testing.F) {
	f.Add("eip155:8453", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	f.Add("eip155:1", "0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	f.Fuzz(func(t *testing.T, network, address string) {
		n, a, err := normalWallet(network, address)
		if err != nil {
			return
		}
		if n2, a2, err := normalWallet(n, a); err != nil || n2 != n || a2 != a || !strings.EqualFold(a, address) {
			t.Fatalf("got %s, %s, %v, want %s, %s again", n2, a2, err, n, a)
		}
	})
}

// A wallet's first payments may arrive concurrently. They must create only one team.
func TestEnsureWalletOnce(t *testing.T) {
	t.Parallel()
	pool := pgtest.Open(t, pgtest.New(t, func(ctx context.Context, url string) error {
		_, err := db.Migrate(ctx, url)
		return err
	}), nil)
	s := New(db.New(pool), nil, nil)
	const n = 10
	ids := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			id, err := s.EnsureWallet(t.Context(), "eip155:8453", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
			if err != nil {
				t.Error(err)
			}
			ids[i] = id
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] || !strings.HasPrefix(id, "team_") {
			t.Errorf("got %v, want one team", ids)
		}
	}
	other, err := s.EnsureWallet(t.Context(), "eip155:84532", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
	if err != nil || other == ids[0] {
		t.Errorf("got %s, %v, want another team on another network", other, err)
	}
}
