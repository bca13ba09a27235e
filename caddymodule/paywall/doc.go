// Package paywall shows people what programs read in an x402 challenge: a page
// that says in plain words what an address costs, and pays for it with the wallet
// in their browser.
//
// The one idea is that the page is another form of the same answer. [Writer] sits
// below the gate and puts the page in place of a 402's body; status and headers,
// with the version 2 challenge among them, stay. The page signs what that challenge
// offers and asks for its own address again with the payment, so nothing on the
// server knows whether a person or a program has paid.
//
// Invariants:
//
//   - Only a GET or HEAD by which a browser opens a page, and which carries no
//     payment, is answered so.
//   - The page loads nothing: its script and style are in it, by their hashes, and
//     its policy allows connections to its own address alone.
//   - A payment that was signed is asked about again, not signed anew, as long as
//     its outcome is not known.
//
// It imports payments/money and payments/x402 (names of headers).
package paywall
