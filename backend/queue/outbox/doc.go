// Package outbox is a transactional outbox: it stores events until all listeners have received them.
//
// An event is a row, written in the transaction that makes it true. So there are no events of things that did not
// happen, and none is lost with its process. A [Dispatcher] passes events to its listeners later; a listener's writes
// are committed together with the mark that it has the event.
//
//	Add             the row                                       (the transaction in which it happens)
//	Dispatcher.Run  events → Listener.Take → marked               (one transaction)
//
// Invariants:
//   - A listener's writes about an event are committed once, regardless of the number of processes.
//   - Events of a team may arrive in another order than they happened: transactions end in their own order.
//   - An event that a listener refuses does not block others. It is dispatched again until it is accepted.
package outbox
