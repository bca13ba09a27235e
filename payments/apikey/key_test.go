package apikey_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/apikey"
)

func TestNewKeysAreReadAndDiffer(t *testing.T) {
	t.Parallel()
	seen := map[apikey.Hash]bool{}
	for range 1000 {
		key := apikey.New()
		if len(key) != apikey.Length || !strings.HasPrefix(key, apikey.Prefix) {
			t.Fatalf("key: got %q, want %d characters that begin with %q", key, apikey.Length, apikey.Prefix)
		}
		hash, err := apikey.Parse(key)
		if err != nil {
			t.Fatalf("reading %q: %v", key, err)
		}
		if seen[hash] {
			t.Fatalf("hash of %q: seen before", key)
		}
		seen[hash] = true
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	key := apikey.New()
	swapped := []byte(key)
	at := len(apikey.Prefix)
	for swapped[at] == swapped[at+1] {
		at++
	}
	swapped[at], swapped[at+1] = swapped[at+1], swapped[at]
	for name, text := range map[string]string{
		"nothing":            "",
		"another prefix":     "sk_" + key[3:],
		"too short":          key[:len(key)-1],
		"too long":           key + "0",
		"a foreign letter":   key[:10] + "-" + key[11:],
		"not ASCII":          key[:10] + "é" + key[12:],
		"swapped characters": string(swapped),
		"spaces":             strings.Repeat(" ", apikey.Length),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := apikey.Parse(text)
			if !errors.Is(err, apikey.ErrInvalid) {
				t.Fatalf("error: got %v, want ErrInvalid", err)
			}
			if len(text) > 10 && strings.Contains(err.Error(), text) {
				t.Errorf("error %q shows the key", err)
			}
		})
	}
}

// One wrong character is always noticed: CRC-32 finds every burst of up to 32 bits.
func TestParseNoticesOneWrongCharacter(t *testing.T) {
	t.Parallel()
	key := apikey.New()
	for i := len(apikey.Prefix); i < len(key); i++ {
		wrong := []byte(key)
		if wrong[i]++; wrong[i] == '9'+1 || wrong[i] == 'Z'+1 || wrong[i] == 'z'+1 {
			wrong[i] = '0'
		}
		if _, err := apikey.Parse(string(wrong)); err == nil {
			t.Errorf("character %d of %q made %q: got no error", i+1, key, wrong)
		}
	}
}

func TestDisplayGivesAwayLittle(t *testing.T) {
	t.Parallel()
	key := apikey.New()
	shown := strings.TrimSuffix(apikey.Display(key), "…")
	if !strings.HasPrefix(key, shown) || len(shown) != len(apikey.Prefix)+6 {
		t.Errorf("display: got %q, want the first 6 characters after %q", shown, apikey.Prefix)
	}
	if got := apikey.Display("tp_"); got != "tp_…" {
		t.Errorf("display of a stump: got %q, want %q", got, "tp_…")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(apikey.New())
	f.Add("")
	f.Add("tp_")
	f.Add(strings.Repeat("0", apikey.Length))
	f.Add("tp_" + strings.Repeat("\xff", apikey.Length-3))
	f.Fuzz(func(t *testing.T, text string) {
		hash, err := apikey.Parse(text)
		switch {
		case err == nil && (len(text) != apikey.Length || hash == apikey.Hash{}):
			t.Errorf("%q was taken for a key", text)
		case err != nil && !errors.Is(err, apikey.ErrInvalid):
			t.Errorf("error: got %v, want ErrInvalid", err)
		}
	})
}

// Well under 1 µs: it is done for every request.
func BenchmarkParse(b *testing.B) {
	key := apikey.New()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := apikey.Parse(key); err != nil {
			b.Fatal(err)
		}
	}
}
