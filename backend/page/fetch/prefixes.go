package fetch

import "net/netip"

// addressRange is a range that no fetch may reach, with the name that operators see.
type addressRange struct {
	prefix netip.Prefix
	name   string
}

// deniedRanges are the special-purpose ranges of the IANA registries (iana-ipv4-special-registry,
// iana-ipv6-special-registry), multicast and reserved space, and every IPv6 form that contains an IPv4 address and would
// reach it through a translator or tunnel. IPv4-mapped IPv6 is unmapped before the look-up. The last three deny everything
// that is not global unicast (RFC 4291 section 2.4: 2000::/3), so that ranges assigned later are denied by default. The
// first match names the range: narrow ranges come before wide ones.
var deniedRanges = []addressRange{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network, RFC 791"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private use, RFC 1918"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared address space, RFC 6598"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback, RFC 1122"},
	// The platform agent of a large cloud listens here on every virtual machine; the address looks public.
	{netip.MustParsePrefix("168.63.129.16/32"), "cloud platform agent"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link local, RFC 3927"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private use, RFC 1918"},
	{netip.MustParsePrefix("192.0.0.0/24"), "IETF protocol assignments, RFC 6890"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay anycast, RFC 7526"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private use, RFC 1918"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking, RFC 2544"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation, RFC 5737"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast, RFC 5771"},
	{netip.MustParsePrefix("255.255.255.255/32"), "limited broadcast, RFC 919"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved, RFC 1112"},

	{netip.MustParsePrefix("::/128"), "unspecified address, RFC 4291"},
	{netip.MustParsePrefix("::1/128"), "loopback, RFC 4291"},
	{netip.MustParsePrefix("::/96"), "IPv4-compatible, RFC 4291"},
	{netip.MustParsePrefix("::ffff:0:0/96"), "IPv4-mapped, RFC 4291"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "IPv4-translated, RFC 2765"},
	{netip.MustParsePrefix("64:ff9b::/96"), "IPv4/IPv6 translation, RFC 6052"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "local-use translation, RFC 8215"},
	{netip.MustParsePrefix("100::/64"), "discard only, RFC 6666"},
	{netip.MustParsePrefix("100:0:0:1::/64"), "dummy prefix, RFC 9780"},
	{netip.MustParsePrefix("2001::/23"), "IETF protocol assignments, RFC 2928 (Teredo, ORCHID)"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation, RFC 3849"},
	{netip.MustParsePrefix("2002::/16"), "6to4, RFC 3056"},
	{netip.MustParsePrefix("3fff::/20"), "documentation, RFC 9637"},
	{netip.MustParsePrefix("5f00::/16"), "segment routing, RFC 9602"},
	{netip.MustParsePrefix("fc00::/7"), "unique local, RFC 4193"},
	{netip.MustParsePrefix("fe80::/10"), "link local, RFC 4291"},
	{netip.MustParsePrefix("fec0::/10"), "site local, RFC 3879"},
	{netip.MustParsePrefix("ff00::/8"), "multicast, RFC 4291"},
	{netip.MustParsePrefix("::/3"), "not global unicast, RFC 4291"},
	{netip.MustParsePrefix("4000::/2"), "not global unicast, RFC 4291"},
	{netip.MustParsePrefix("8000::/1"), "not global unicast, RFC 4291"},
}

// deniedRange returns the name of the denied range that contains addr, or "" for a public address.
func deniedRange(addr netip.Addr) string {
	addr = plain(addr)
	if !addr.IsValid() {
		return "not an address"
	}
	for _, r := range deniedRanges {
		if r.prefix.Contains(addr) {
			return r.name
		}
	}
	return ""
}

// plain removes what would hide an address from a prefix comparison: the IPv4-mapped form and the zone.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }
