//go:build linux

package e2e

import "strings"

// hostsInside are spellings in URLs of hosts on this machine, or on networks that may not be reached.
var hostsInside = []string{
	// Loopback.
	"127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "127.0.0.1.", "127.000.000.001", "2130706433", "2130706433.", "0x7f000001", "0x7F.1",
	"0x7f.0x0.0x0.0x1", "0177.0.0.1", "0177.0x0.1", "017700000001", "00000000177.0.0.1", "0x000000007f.0.0.1",
	"%31%32%37.0.0.1", "127%2e0%2e0%2e1", "%6c%6f%63%61%6c%68%6f%73%74", "①②⑦.⓪.⓪.①", "１２７.０.０.１", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1",
	"0", "0.0.0.0", "0x0", "00", "0.0.0.1",
	"[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::]", "[::1%25lo]", "[::1%lo]",
	// IPv4 in IPv6: mapped, compatible, translated, NAT64 (RFC 6052, 8215), 6to4, Teredo, ISATAP.
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]", "[0:0:0:0:0:ffff:7f00:1]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]",
	"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:7f00:1::1]", "[2001:0:7f00:1::]",
	"[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "[fe80::5efe:127.0.0.1]",
	// Addresses that are not public.
	"10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1",
	"203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "169.254.169.254", "2852039166", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE",
	"0251.0376.0251.0376", "169.254.43518", "169.254.169.254.", "[fe80::1]", "[fe80::1%25lo]", "[fd00:ec2::254]", "[fc00::1]", "[ff02::1]",
	"[2001:db8::1]", "[fec0::1]", "[100::1]",
	// Names.
	"localhost", "LOCALHOST", "LocalHost.", "localhost%2e", "ｌｏｃａｌｈｏｓｔ", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "local\u00adhost", "foo.localhost", "localhost.localdomain",
	"ip6-localhost", "metadata.google.internal", "printer.local", "xn--localhost-", "xn--a",
	// Hosts that look like something else.
	"user:pw@127.0.0.1", "example.com@127.0.0.1", "example.com:80@127.0.0.1", "example.com%40127.0.0.1", "127.0.0.1%00.example.com",
	"127.0.0.1%09", "127.0.0.1%0d%0aHost:example.com", "127.0.0.1%20", "127.0.0.1%2f.example.com", "[127.0.0.1]", "[::1].example.com", "::1",
}

// urlsInside are whole URLs. PORT is a port that may be fetched elsewhere.
var urlsInside = []string{
	"HTTP://127.0.0.1:PORT/", "http:127.0.0.1:PORT", "http:/127.0.0.1:PORT", "http:///127.0.0.1:PORT/", "http:\\\\127.0.0.1:PORT\\",
	"//127.0.0.1:PORT/", "/", "", "127.0.0.1:PORT", "ht\ntp://127.0.0.1:PORT/", "h\tttp://127.0.0.1:PORT/", "http://127.0.\n0.1:PORT/",
	"http://127.0.0.1\t:PORT/", " \u0000http://127.0.0.1:PORT/ ", "http://127.0.0.1:PORT#@example.com/", "http://127.0.0.1:PORT?@example.com/",
	"http://127.0.0.1:PORT\\@example.com/", "http://nowhere.invalid\\@127.0.0.1:PORT/", "http://example.com:PORT@127.0.0.1:PORT/",
	"http://127.0.0.1:PORT/../../", "http://127.0.0.1:22/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:0PORT/",
	"https://127.0.0.1/", "https://[::1]/", "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
	"file:///etc/passwd", "file://127.0.0.1/etc/passwd", "ftp://127.0.0.1:PORT/", "gopher://127.0.0.1:PORT/_GET%20/", "dict://127.0.0.1:PORT/x",
	"ldap://127.0.0.1:PORT/", "ws://127.0.0.1:PORT/", "wss://127.0.0.1:PORT/", "unix:///run/postgresql/.s.PGSQL.5432", "http+unix://%2frun%2fx/",
	"data:text/html,<img src=http://127.0.0.1:PORT/>", "javascript:fetch('http://127.0.0.1:PORT/')", "blob:http://127.0.0.1:PORT/x",
	"about:blank", "chrome://version/", "chrome-extension://x/y", "devtools://devtools/", "view-source:http://127.0.0.1:PORT/",
	"filesystem:http://127.0.0.1:PORT/temporary/x", "jar:http://127.0.0.1:PORT/x!/", "netdoc:///etc/passwd", "ssh://127.0.0.1/", "mailto:a@b",
}

// spellings returns every internal address, with and without the port.
func spellings(port string) []string {
	var all []string
	for _, host := range hostsInside {
		all = append(all, "http://"+host+":"+port+"/", "http://"+host+"/")
	}
	for _, u := range urlsInside {
		all = append(all, strings.ReplaceAll(u, "PORT", port))
	}
	return all
}
