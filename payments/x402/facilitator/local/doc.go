// Package local is a facilitator that settles payments on one network with our own nodes and keys.
//
// Payments are queued. Each account sends what is queued, several payments in one transaction, and a keeper follows every
// transaction until it is mined: it sends it again, replaces one that is stuck, and reopens one whose block was replaced.
// What is sent is in an outbox first, so other processes continue what this one leaves behind.
package local
