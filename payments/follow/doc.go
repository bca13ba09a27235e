// Package follow keeps up with a document that somebody else publishes, such as
// an upstream's price book or its description.
//
// The one idea is that a reader never waits for the network: one goroutine asks
// again and again, and the last good document holds while its publisher is away
// or publishes nonsense. What is read is bounded in size and in time.
//
// It imports nothing of this module.
package follow
