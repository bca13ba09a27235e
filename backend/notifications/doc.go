// Package notifications sends notifications of events by email and Slack.
//
// It listens to the outbox, and looks up the channels of an event's subject. Other packages call it only to name channels. An
// event for a channel is a delivery. Deliveries to one address in quick succession share a message, which backend/queue/delivery
// sends. Channels and their lookup are declared in backend/queue/outbox. Package backend/webhooks handles channels of type webhook.
//
//	Ask     mail addresses that a team names → an event that has them asked   (the transaction that names them)
//	Take    event → deliveries, in the message that their address gathers in   (the transaction that marks the event as seen)
//	Run     the message takes no more events, and is sent                      (a slot of the queue)
//	Finish  the message's state, the task, and an event if it was given up     (one transaction)
//
// Invariants:
//   - An event has one delivery to a channel, by however many processes, and is in one message.
//   - A message is sent at least once, or fails and says so. Once an attempt has begun, its content and Message-ID never change.
//   - An address has one message in progress at a time, and a limited number per hour.
//   - Text from pages is always escaped, without line breaks, and cut to a limit.
//   - An address gets mail of a team only after it confirms, by a link in a mail that asks it, and until it unsubscribes.
//   - GET of a link changes nothing; POST needs the link and no key.
package notifications
