package clip_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/clip"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"aéb", 2, "a"}, {"aéb", 3, "aé"}, {"日本", 5, "日"},
	} {
		if got := clip.Bytes(tt.text, tt.most); got != tt.want {
			t.Errorf("Bytes(%q, %d): got %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestChars(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"", 1, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語", 3, "日本語"},
		{"日本語だ", 3, "日本…"},
		{"ab cd", 4, "ab…"},
		{strings.Repeat("é", 1000), 2, "é…"},
	} {
		if got := clip.Chars(tt.text, tt.most); got != tt.want {
			t.Errorf("Chars(%q, %d): got %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add("日本語", 2)
	f.Add("a\xffb", 2)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 1 + max(most, -most)%100
		if most < 1 {
			return
		}
		if got := clip.Bytes(text, most); len(got) > most {
			t.Errorf("Bytes(%q, %d): got %d bytes", text, most, len(got))
		}
		if got := clip.Chars(text, most); utf8.RuneCountInString(got) > most {
			t.Errorf("Chars(%q, %d): got %q", text, most, got)
		}
	})
}
