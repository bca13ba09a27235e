// Package llm is a client for language models over two APIs: OpenAI's chat completions, which most other servers offer
// too, and Anthropic's messages.
//
// Models are unreliable and read text by strangers. A reply is parsed leniently and validated strictly. An invalid reply
// gets one chance of repair and is then an error. The text of a page is never an instruction: it is kept apart from the
// task by a marker line that a page cannot know. Extract gives the model no tools that a page could misuse; callers that
// pass tools to Chat are responsible for what those do.
//
// What a server cannot do is found out by trying. If it refuses a JSON Schema, it is asked for any JSON, then for text,
// and this is remembered for later requests.
//
// Invariants:
//   - Keys are in no error and in no log.
//   - Requests, replies, retries and waits are bounded; no redirect is followed. A stream is cut at twice the requested
//     tokens, by estimate, and a Session ends when its steps, tokens or time are used up.
//   - A returned tool call can be sent back as part of the conversation: its name, id and arguments have the form that
//     the APIs require, and any defect is described in its Fault.
//   - Every failure is an *Error with a Reason, or the caller's own cancellation.
//
// It may reach private addresses, because its URL is set by the operator, never by a client.
package llm
