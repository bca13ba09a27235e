// Package llmdouble is a server for tests that stands in for a language model: over real HTTP, in the words of OpenAI's
// chat completions and of Anthropic's messages, whole and as streams.
//
// The idea is that it plays a script, and that a script may do anything: obey a page, lie, never end, break off in the
// midst of a word. The server itself is strict: it refuses conversations that the real ones refuse, and fails the test,
// so that what passes with it is fit to be sent.
//
// Invariant: only tests import it.
package llmdouble
