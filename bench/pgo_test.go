//go:build linux

package main

import (
	"slices"
	"testing"
)

func TestReplaceString(t *testing.T) {
	t.Parallel()
	// A varint field 9 = 300, string_table "", "/a/b", "cpu".
	profile := []byte("\x48\xac\x02" + "\x32\x00" + "\x32\x04/a/b" + "\x32\x03cpu")
	got, err := replaceString(profile, "/a/b", "turnpike")
	if want := "\x48\xac\x02" + "\x32\x00" + "\x32\x08turnpike" + "\x32\x03cpu"; err != nil || string(got) != want {
		t.Errorf("got %q and error %v, want %q", got, err, want)
	}
	if got, err := replaceString(profile, "absent", "x"); err != nil || !slices.Equal(got, profile) {
		t.Errorf("without it: got %q and error %v, want it as it was", got, err)
	}
	for _, bad := range []string{"\x32", "\x32\x09short", "\x31\x00", "\xff"} {
		if _, err := replaceString([]byte(bad), "a", "b"); err == nil {
			t.Errorf("%q: got no error, want one", bad)
		}
	}
}
