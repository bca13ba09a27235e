// Package agent answers tasks with a language model that calls tools: it searches, opens pages, reads on in them and submits
// values with their quotes.
//
// The idea is that the model is believed in nothing and can do nothing. What it submits is in the answer only where
// ask.Checker finds it in a source, so a model that invents, or that obeys a page, gets NOT_FOUND. And its tools only read:
// it names a URL, but what is opened is the same URL as it stood in a search result, in a link of a page that was opened or
// in the task, so that no page can have it carry anything to an address of its own making.
//
// Invariants:
//   - Steps, tokens and time are bounded by one llm.Budget, searches and pages by Options, whatever the model does.
//   - No URL is opened that was not found, linked or named, letter for letter as the URL standard writes it.
//   - The text of pages, results and files stands in the user's part of the conversation only, between lines with a code that
//     is drawn anew for each task, and never has that code in it.
//   - Text that speaks to machines is neither shown to the model nor evidence; see source.go for what is taken for such.
//   - An answer is made by ask.Compose of values that passed ask.Checker, and of nothing else.
//
// Where the model fails before anything is supported, the Answerer without a model does the task.
package agent
