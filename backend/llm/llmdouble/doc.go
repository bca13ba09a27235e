// Package llmdouble is a test double of a language model: a real HTTP server with OpenAI's chat completions and
// Anthropic's messages, whole and as streams.
//
// It plays a script, and a script may do anything: obey a page, lie, never end, or break off within a word. The server
// itself is strict: it refuses conversations that the real servers refuse, and fails the test.
//
// Invariant: only tests import it.
package llmdouble
