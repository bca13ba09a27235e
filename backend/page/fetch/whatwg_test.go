package fetch

import (
	neturl "net/url"
	"testing"
)

// Browsers and this package read these texts by the WHATWG URL standard; net/url gives an error, another host or
// another path. The test checks that too, so that the table stays true.
func TestWhatNetURLReadsOtherwise(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{ // "" for no URL
		// Hosts that are addresses.
		{"short address", "http://127.1/", "http://127.0.0.1/"},
		{"address as one number", "http://2130706433/", "http://127.0.0.1/"},
		{"hexadecimal", "http://0x7f000001/", "http://127.0.0.1/"},
		{"octal", "http://0177.0.0.1/", "http://127.0.0.1/"},
		{"circled digits", "http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"},
		{"full-width digits", "http://１２７.0.0.1/", "http://127.0.0.1/"},
		{"ideographic full stops", "http://127。0。0。1/", "http://127.0.0.1/"},
		{"encoded digits", "http://%31%32%37.0.0.1/", "http://127.0.0.1/"},
		{"address with a dot", "http://127.0.0.1./", "http://127.0.0.1/"},
		{"IPv6 in full", "http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"},
		{"IPv6 with IPv4", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"},
		{"octet too large", "http://256.1.1.1/", ""},
		{"five octets", "http://1.2.3.4.5/", ""},
		{"number too large", "http://4294967296/", ""},
		{"no number", "http://1.2.3.08/", ""},
		{"zone", "http://[fe80::1%25eth0]/", ""},

		// Hosts that are names.
		{"capitals", "http://EXAMPLE.com/", "http://example.com/"},
		{"umlaut", "http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"sharp s", "http://faß.example/", "http://xn--fa-hia.example/"},
		{"full-width letters", "http://ｅｘａｍｐｌｅ.com/", "http://example.com/"},
		{"soft hyphen", "http://exa\u00admple.com/", "http://example.com/"},
		{"encoded dot", "http://example%2ecom/", "http://example.com/"},
		{"bad punycode", "http://xn--a/", ""},

		// Delimiters before the path.
		{"back slashes", `http:\\example.com\a\b`, "http://example.com/a/b"},
		{"back slash ends the host", `http://example.com\@other.example/`, "http://example.com/@other.example/"},
		{"no slashes", "http:example.com", "http://example.com/"},
		{"one slash", "http:/example.com", "http://example.com/"},
		{"three slashes", "http:///example.com/", "http://example.com/"},
		{"tab and line feed inside", "ht\ntp://exa\tmple.com/", "http://example.com/"},
		{"space around", " http://example.com/ ", "http://example.com/"},
		{"the scheme's own port", "http://example.com:80/", "http://example.com/"},
		{"no port", "http://example.com:/", "http://example.com/"},
		{"port with zeros", "http://example.com:0080/", "http://example.com/"},
		{"port too large", "http://example.com:65536/", ""},

		// Path and query.
		{"no path", "http://example.com", "http://example.com/"},
		{"dots", "http://example.com/../a/./b/../c", "http://example.com/a/c"},
		{"encoded dots", "http://example.com/a/%2e%2E/b", "http://example.com/b"},
		{"dots after a back slash", `http://example.com/a\..\b`, "http://example.com/b"},
		{"a per cent sign alone", "http://example.com/100%", "http://example.com/100%"},
		{"no hexadecimal digits", "http://example.com/%zz", "http://example.com/%zz"},
		{"a control character", "http://example.com/a\x01b", "http://example.com/a%01b"},
		{"bar in a path", "http://example.com/a|b", "http://example.com/a|b"},
		{"space in a query", "http://example.com/?a b", "http://example.com/?a%20b"},
		{"apostrophe in a query", "http://example.com/?it's", "http://example.com/?it%27s"},
		{"umlaut in a query", "http://example.com/?q=ä", "http://example.com/?q=%C3%A4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := ParseURL(tt.in)
			if got := u.String(); got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("%q: got %q, %v, want %q", tt.in, got, err, tt.want)
			}
			other := ""
			if parsed, err := neturl.Parse(tt.in); err == nil {
				other = parsed.String()
			}
			if other == tt.want {
				t.Errorf("%q: net/url reads it alike, as %q", tt.in, other)
			}
		})
	}
}
