// Package render loads pages in a headless Chromium, for pages that plain HTTP cannot read: it runs their scripts, performs
// mouse and keyboard actions, and returns the resulting document, screenshots and print.
//
// The browser is untrusted, because it runs the scripts of strangers. It gets nothing: no environment variables, a
// temporary profile, no other files and processes, another user, and one way to the network. A chromium.Host starts it: in
// this process or, better, in a service of another user without network access (turnpike browser). Each job has its own
// browser context, whose only proxy is an egress listener (egress.go) that the host opens and whose connections it hands
// over; the egress opens every connection through the caller's guarded dialer. Protocols that cannot use a proxy are
// switched off (chromium.Flags), so that a page reaches exactly what a plain fetch would.
//
// Invariants:
//   - No byte leaves for an address that Job.Dial did not open.
//   - Jobs share nothing: no cookies, caches, storage, connections or renderer processes.
//   - No process outlives its use: the browser's process group is killed on every path, including its parent's death.
//   - No browser runs without its sandbox unless the configuration allows it.
//   - Everything is limited: pages at once, time, network bytes, result bytes, memory of a browser.
//   - Every failure is an *Error with a Reason out of a closed set. A response of 4xx or 5xx is not a failure.
//
// The package uses chromedp's transports and typed protocol, but not its targets: those mirror the whole DOM of a page and
// queue its events without limit, so that hostile pages could fill this process's memory.
package render
