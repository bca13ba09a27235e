// Package llm asks language models, of which there are two kinds: servers of OpenAI's chat completions, which most of the
// others speak too, and Anthropic's messages.
//
// The idea is that a model is an unreliable clerk who reads strangers' mail. Its answer is parsed with tolerance and
// validated without any; it gets one chance to mend what is wrong, and then the answer is an error. What a page says is
// never an instruction: it stands apart from the task, marked by a line that a page cannot know, and there are no tools
// that it could make the model use.
//
// What a server cannot do is found out by asking. One that refuses a JSON Schema is asked again for any JSON, then for
// text, and the model is asked the same way from then on.
//
// Invariants:
//   - Keys are in no error and in no log.
//   - Requests, replies, retries and waits are bounded; no redirect is followed.
//   - Every failure is an *Error with a Reason, or the caller's own cancellation.
//
// The package imports backend/jsonschema. It may reach private addresses: its URL is the operator's, never a caller's.
package llm
