// Package notifications tells people what happened, by mail and by Slack.
//
// It listens to the outbox, and asks who knows the channels of an event's subject. Nobody calls it but who names channels. An event for a channel
// is a delivery; deliveries to one address that come close together share a message, and a message is what backend/delivery
// tries to send. Channels, and who knows them, are declared in backend/outbox: those of type webhook are the care of
// backend/webhooks.
//
//	Ask     mail addresses that a team names → an event that has them asked   (the transaction that names them)
//	Take    event → deliveries, in the message that their address gathers in   (the transaction that marks the event as seen)
//	Run     the message takes no more events, and is sent                      (a slot of the queue)
//	Finish  the message's state, the task, and an event if it was given up     (one transaction)
//
// Invariants:
//   - An event has one delivery to a channel, by however many processes, and is in one message.
//   - A message is sent at least once, or has failed and says so. What is in it never changes once a try has begun, nor does
//     its Message-ID.
//   - An address has one message under way at a time, and no more than so many in an hour.
//   - What comes of pages is escaped wherever it is shown, has no line breaks, and is cut.
//   - An address gets mail of a team only once it has confirmed, by the link of a mail that asks it, and until it unsubscribes.
//   - GET of a link changes nothing; POST needs the link and no key.
//
// It imports backend/caller, delivery, fetch, jobs, outbox, paging and problem, db, and payments/token.
package notifications
