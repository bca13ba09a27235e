// Package llm asks language models, of which there are two kinds: servers of OpenAI's chat completions, which most of the
// others speak too, and Anthropic's messages.
//
// The idea is that a model is an unreliable clerk who reads strangers' mail. Its answer is parsed with tolerance and
// validated without any; it gets one chance to mend what is wrong, and then the answer is an error. What a page says is
// never an instruction: it stands apart from the task, marked by a line that a page cannot know. Extract gives the model
// no tools that a page could make it use; who gives it some, by Chat, answers for what they do.
//
// What a server cannot do is found out by asking. One that refuses a JSON Schema is asked again for any JSON, then for
// text, and the model is asked the same way from then on.
//
// Invariants:
//   - Keys are in no error and in no log.
//   - Requests, replies, retries and waits are bounded; no redirect is followed. A stream is cut at twice the tokens that
//     were asked for, by our own count, and a Session ends with its steps, tokens or time, whichever is first.
//   - A tool call that is handed on can be sent back as part of the conversation: its name, id and arguments have the form
//     that the APIs want, and what was wrong with it is a Fault.
//   - Every failure is an *Error with a Reason, or the caller's own cancellation.
//
// The package imports backend/jsonschema and payments/money. It may reach private addresses: its URL is the operator's, never a caller's.
package llm
