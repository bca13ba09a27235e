// Package follow keeps an up-to-date copy of a document that another server publishes, such as an upstream's price book
// or its description.
//
// A reader never waits for the network: one goroutine fetches periodically, and the last valid document stays in use
// while the publisher is unreachable or publishes an invalid one. Reads are bounded in size and in time.
package follow
