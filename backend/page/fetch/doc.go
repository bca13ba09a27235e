// Package fetch is the only HTTP client for addresses that users choose: pages, robots files, sitemaps, webhooks, feeds. It
// protects against server-side request forgery.
//
// The check happens at the last moment. A URL is only text: it can spell loopback in a dozen ways, name a host whose DNS
// answer changes between the check and the connection, or redirect elsewhere. Therefore the guard runs in the dialer's
// control hook and checks the resolved address that the socket is about to connect to. Every connection passes it: first
// requests, redirects, each address of a name with several, and reconnections. Earlier checks (ParseURL, Client.Check) give
// clear messages, not safety.
//
// Invariants:
//   - No connection is made to an address in a special-purpose range (IANA registries; see prefixes.go), unless
//     Config.AllowPrivate names the range, and to no port but 80 and 443, unless Config allows more.
//   - Environment proxies are never used: the proxy would dial the target, which the guard could not check.
//   - Reading is limited in bytes, on the wire and after decompression, and in time, per phase and in total.
//   - Text is returned as valid UTF-8, whatever the target sent.
//   - Every failure is an *Error with a Reason out of a closed set. A response of 4xx or 5xx is not a failure.
//
// URLs follow the WHATWG URL standard, as in browsers, not net/url.
package fetch
