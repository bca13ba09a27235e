// Package paywall shows an x402 challenge to people in a browser: a page that says what an address costs, and pays for
// it with the browser's wallet.
//
// The page is another form of the same response. [Writer] sits below the gate and replaces the body of a 402 with the page; the
// status and the headers stay, among them the version 2 challenge. The page signs an offer of that challenge and requests its
// own address again with the payment. So the server need not know whether a person or a program has paid.
//
// Invariants:
//
//   - Only a GET or HEAD without a payment, with which a browser opens a page, gets the page.
//   - The page loads nothing. Its script and style are inline and allowed by their hashes, and its content security
//     policy allows connections only to its own address.
//   - While the outcome of a signed payment is unknown, the page sends the same payment again. It never signs a second one.
//
// The package imports payments/money and payments/x402 (header names).
package paywall
