// Package accounts knows the teams that own things: which team stands for a
// wallet, what credits a team has and what it used them for, and its keys.
//
// The idea is that a wallet is a team like any other, made when it first pays and
// known by its network and address in one spelling, so that no payer is two.
//
// It imports backend/caller and problem, db, and payments/apikey, edgewire and money. It moves no
// money: that is the ledger's.
package accounts
