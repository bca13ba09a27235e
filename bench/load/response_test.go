package load

import (
	"strings"
	"testing"
)

const goodResponse = "HTTP/1.1 200 OK\r\nServer: Caddy\r\nContent-Length: 4\r\n\r\nbody"

func TestParseResponse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       int
		wantErr    string
	}{
		{"whole", goodResponse, len(goodResponse), ""},
		{"lower-case header", strings.ToLower(strings.Replace(goodResponse, "HTTP/1.1 200", "\x00", 1)), 0, "status 200"},
		{"another case", strings.Replace(goodResponse, "Content-Length", "content-LENGTH", 1), len(goodResponse), ""},
		{"nothing yet", "", 0, ""},
		{"half a header", goodResponse[:20], 0, ""},
		{"half a body", goodResponse[:len(goodResponse)-1], 0, ""},
		{"a refusal", "HTTP/1.1 402 Payment Required\r\nContent-Length: 0\r\n\r\n", 0, "402 Payment Required"},
		{"another body", strings.Replace(goodResponse, "body", "ydob", 1), 0, "want"},
		{"no length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0, "no Content-Length"},
		{"a length that is none", strings.Replace(goodResponse, ": 4", ": x", 1), 0, "Content-Length is"},
		{"a negative length", strings.Replace(goodResponse, ": 4", ": -4", 1), 0, "Content-Length is"},
		{"a huge length", strings.Replace(goodResponse, ": 4", ": 999999", 1), 0, "too large"},
		{"an endless header", strings.Repeat("x", responseBytesMax), 0, "does not end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseResponse([]byte(tc.text), "body")
			if got != tc.want || (err == nil) != (tc.wantErr == "") || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("got %d and error %v, want %d and %q", got, err, tc.want, tc.wantErr)
			}
		})
	}
}

func FuzzParseResponse(f *testing.F) {
	f.Add([]byte(goodResponse))
	f.Add([]byte("HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n"))
	f.Add([]byte("\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := parseResponse(b, "body")
		if n < 0 || n > len(b) || err != nil && n != 0 {
			t.Errorf("got %d of %d bytes and error %v", n, len(b), err)
		}
		if n > 0 && string(b[n-4:n]) != "body" {
			t.Errorf("took %q for a response", b[:n])
		}
	})
}
