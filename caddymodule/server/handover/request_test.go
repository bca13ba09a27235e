package handover

import (
	"strings"
	"testing"
)

func TestIsOneRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		body int64 // bytes of the body after the text
		want bool
	}{
		"get":                    {get, 0, true},
		"post":                   {post("abc"), 0, true},
		"chunked":                {"POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n1\na\n0\n\n", 0, true},
		"chunked with a trailer": {"POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n1\na\n0\nB: c\n\n", 0, true},
		"nothing":                {"", 0, false},
		"half a header":          {"GET / HTTP/1.1\nHost: a\n", 0, false},
		"half a body":            {"POST / HTTP/1.1\nHost: a\nContent-Length: 3\n\nab", 0, false},
		"half a chunk":           {"POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n1\na\n", 0, false},
		"two":                    {get + get, 0, false},
		"one and a byte":         {post("abc") + "G", 0, false},
		"a body after it":        {"POST / HTTP/1.1\nHost: a\nContent-Length: 3\n\n", 3, true},
		"some of a body":         {"POST / HTTP/1.1\nHost: a\nContent-Length: 3\n\na", 2, true},
		"too little of a body":   {"POST / HTTP/1.1\nHost: a\nContent-Length: 3\n\na", 1, false},
		"too much of a body":     {"POST / HTTP/1.1\nHost: a\nContent-Length: 3\n\na", 3, false},
		"chunks after it":        {"POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n", 11, false},
		"a body that has none":   {get, 1, false},
		"no request":             {"hello\n\n", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := isOneRequest([]byte(strings.ReplaceAll(c.text, "\n", "\r\n")), c.body); got != c.want {
				t.Errorf("isOneRequest(%q): got %t, want %t", c.text, got, c.want)
			}
		})
	}
}

// A complete request is no longer one request with one byte more or less.
func FuzzIsOneRequest(f *testing.F) {
	for _, text := range []string{get, post("abc"), "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n1\na\n0\n\n"} {
		f.Add([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !isOneRequest(text, 0) {
			return
		}
		if isOneRequest(append(text[:len(text):len(text)], 'G'), 0) {
			t.Errorf("%q and a byte are one request", text)
		}
		if isOneRequest(text[:len(text)-1], 0) {
			t.Errorf("%q without its last byte is one request", text)
		}
	})
}
