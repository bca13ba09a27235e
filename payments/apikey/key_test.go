package apikey

import (
	"errors"
	"hash/crc32"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	key := New()
	if hash, err := Parse(key); err != nil || hash == (Hash{}) {
		t.Fatalf("a new key: got %x, %v, want its hash", hash, err)
	}
	for _, tc := range []struct{ name, key, reason string }{
		{"empty", "", "got 0 bytes"},
		{"too short", key[:20], "got 20 bytes"},
		{"too long", key + "A", "got 53 bytes"},
		{"another prefix", "sk" + key[2:], `want "tp_"`},
		{"a foreign letter", key[:len(key)-1] + "-", "character 52 is not a letter or digit"},
		{"swapped characters", swapped(key), "checksum"},
		{"white space", " " + key[:len(key)-1], `want "tp_"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(tc.key)
			malformed, ok := errors.AsType[*MalformedError](err)
			if !ok || !errors.Is(err, ErrInvalid) {
				t.Fatalf("error: got %v, want a MalformedError that is ErrInvalid", err)
			}
			if !strings.Contains(malformed.Reason, tc.reason) {
				t.Errorf("reason: got %q, want it to say %q", malformed.Reason, tc.reason)
			}
			if len(tc.key) > 10 && strings.Contains(err.Error(), tc.key[4:10]) {
				t.Errorf("error: got %q, want nothing of the key in it", err)
			}
		})
	}
}

// The format of a key never changes: the first keys ever issued must remain valid.
func TestChecksumIsCRC32(t *testing.T) {
	t.Parallel()
	key := New()
	want := crc32.ChecksumIEEE([]byte(key[:len(key)-crcDigits]))
	got := uint32(0)
	for _, c := range key[len(key)-crcDigits:] {
		got = got*62 + uint32(strings.IndexRune(digits, c))
	}
	if got != want {
		t.Errorf("checksum of %q: got %08x, want %08x", key, got, want)
	}
}

func TestParseAllocatesNothing(t *testing.T) { //nolint:paralleltest // other tests' allocations would count
	key := New()
	if allocs := testing.AllocsPerRun(100, func() { _, _ = Parse(key) }); allocs != 0 {
		t.Errorf("got %.0f allocations, want none", allocs)
	}
}

// swapped exchanges two different characters.
func swapped(key string) string {
	b := []byte(key)
	for i := len(Prefix); i+1 < len(b); i++ {
		if b[i] != b[i+1] {
			b[i], b[i+1] = b[i+1], b[i]
			return string(b)
		}
	}
	return key
}

func TestDisplayShowsLittle(t *testing.T) {
	t.Parallel()
	key := New()
	if got, want := Display(key), key[:9]+"…"; got != want {
		t.Errorf("display: got %q, want %q", got, want)
	}
	if got, want := Display("x"), "tp_…"; got != want {
		t.Errorf("display of a short text: got %q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	key := New()
	for _, seed := range []string{"", "tp_", key, key[:len(key)-1], key + "x", strings.ToLower(key), "tp_" + strings.Repeat("é", 25)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hash, err := Parse(text)
		switch {
		case err != nil && (!errors.Is(err, ErrInvalid) || hash != Hash{}):
			t.Errorf("got %x, %v, want ErrInvalid and no hash", hash, err)
		case err == nil && (len(text) != Length || !strings.HasPrefix(text, Prefix)):
			t.Errorf("%q was accepted", text)
		}
	})
}
