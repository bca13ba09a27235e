// Package outbox keeps what happened until everybody who wants to know was told.
//
// The one idea: an event is a row, written in the transaction that makes it true. So there is no event of what did not
// happen, and none is lost with the process in which it did. A [Dispatcher] shows events to its listeners afterwards,
// and what they write about them is committed with the mark that they have seen them.
//
//	Add             the row                                       (the transaction in which it happens)
//	Dispatcher.Run  events → Listener.Take → marked               (one transaction)
//
// Invariants:
//   - A listener's writes about an event are committed once, by however many processes.
//   - Events of a team may be shown in another order than they happened in: transactions end in their own order.
//   - An event that a listener refuses holds up no other. It is shown again, until it is taken.
//
// It imports backend/problem, db and payments/token.
package outbox
