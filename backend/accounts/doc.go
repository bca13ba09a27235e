// Package accounts manages teams: the team of each wallet, a team's credits and usage, and its API keys.
//
// A wallet is a team like any other. The team is created when the wallet first pays, and found by network and address
// in one spelling, so that a payer never has two teams.
//
// It moves no money: the ledger does.
package accounts
