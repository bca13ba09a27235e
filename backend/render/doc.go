// Package render loads pages in a headless Chromium, for those that plain HTTP cannot read: it runs their scripts, does
// what the caller would do with mouse and keyboard, and returns the document as it stands then, pictures and print.
//
// The idea is that the browser is hostile ground. It runs what strangers wrote, so it is given nothing: no environment
// of ours, a throw-away profile, no other files and processes, another user, and no way to the network but one. A Host
// (host.go) starts it: in this process, or better in a service of another user that has no network (turnpike browser).
// Each job has a browser context of its own, whose only proxy is an egress listener (egress.go) that the host opens and
// whose connections it hands over; every connection that the egress opens goes through the caller's guarded dialer. What
// does not speak through a proxy is switched off (flags in browser.go), so that a page reaches exactly what a plain fetch
// would.
//
// Invariants:
//   - No byte leaves for an address that Job.Dial did not open.
//   - A job shares nothing with another: not cookies, caches, storage, connections or renderer processes.
//   - No process outlives its use: the browser's process group is killed on every path, its parent's death included.
//   - No browser runs without its sandbox unless the configuration says that it may.
//   - Everything is bounded: pages at once, time, bytes over the network, bytes of results, memory of a browser.
//   - Every failure is an *Error with a Reason out of a closed set. A target that answers 4xx or 5xx is no failure.
//
// Of chromedp it uses the transports and the typed protocol, but not its targets: those mirror the page's whole DOM and
// queue its events without a bound, in a process that hostile pages must not be able to fill.
//
// The package imports backend/confine, and backend/fetch for URLs and for the reasons that its dialer gives.
package render
