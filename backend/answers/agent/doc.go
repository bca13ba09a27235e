// Package agent answers tasks with a language model that calls tools: it searches, opens pages, reads on in them and
// submits values with their quotes.
//
// The model is not trusted and can do no harm. A submitted value is in the answer only if ask.Checker finds it in a
// source, so a model that invents values or obeys a page yields NOT_FOUND. Its tools can only read: the model names a
// URL, but the agent opens only URLs that were in a search result, in a link of an opened page or in the task. So no page
// can make the model send data to a URL of the page's choice.
//
// Invariants:
//   - One llm.Budget limits steps, tokens and time, and Options limits searches and pages, whatever the model does.
//   - No URL is opened that was not found, linked or named, exactly as the URL standard writes it.
//   - The text of pages, results and files is only in the user's part of the conversation, between lines with a code that
//     is random for each task and removed from the text.
//   - Text that addresses machines is not shown to the model and is not evidence; see source.go for how it is recognized.
//   - An answer consists only of values that passed ask.Checker, put together by ask.Compose.
//
// If the model fails before anything is supported, the Answerer without a model answers the task.
package agent
