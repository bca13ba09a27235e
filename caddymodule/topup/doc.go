// Package topup sells credits to teams, paid with cards that the payment provider has saved.
package topup
