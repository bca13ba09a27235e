// Package fetch is the one HTTP client through which bytes leave for addresses that a caller chose: pages, robots
// files, sitemaps, webhooks, feeds.
//
// The idea is to decide at the last moment. A URL is only text: it can spell loopback in a dozen ways, name a host
// whose DNS answer changes between the check and the connection, or redirect elsewhere. So the guard sits in the
// dialer's control hook and looks at the resolved address that the socket is about to connect to. Every path leads
// through it: first requests, redirects, each address tried for a name with several, and connections made anew.
// What is checked earlier (ParseURL, Client.Check) is there for clear messages, not for safety.
//
// Invariants:
//   - No connection is made to an address in a special-purpose range (IANA registries; see prefixes.go), unless
//     Config.AllowPrivate names the range, and to no port but 80 and 443, unless Config allows more.
//   - Environment proxies are never used: a proxy would move the dial out of the guard's sight.
//   - What is read is bounded in bytes, on the wire and after decompression, and in time, per phase and in total.
//   - Text arrives as valid UTF-8, whatever the target sent.
//   - Every failure is an *Error with a Reason out of a closed set. A target that answers 4xx or 5xx is no failure.
//
// URLs follow the WHATWG URL standard, as browsers read them, not net/url.
//
// The package imports nothing of ours.
package fetch
