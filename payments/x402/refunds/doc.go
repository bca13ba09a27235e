// Package refunds pays back what is owed to payers, and audits claims: against the ledger, and against the chains.
//
// A refund is paid once: its authorisation's nonce is derived from the claim, and the token refuses a second use of it
// ([Refunds]). The [Auditor] finds what crashes, restores and replaced blocks have left: claims that differ from the ledger
// or the chain, transfers that no claim explains, and payments that were lost.
package refunds
