// Package x402 has the handlers that charge USDC for requests by the x402 protocol, publish what is charged for, and settle
// payments for other servers. [Config] configures the gate that they share.
package x402
