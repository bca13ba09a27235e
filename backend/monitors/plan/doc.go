// Package plan turns a sentence about what to watch into a plan that can be read, drawn, checked and run.
//
// The idea is that a plan is made in the open and held to one standard, whoever made it. A language model may propose one;
// where there is none, or none that passes, rules read the sentence: the addresses in it, whether it speaks of a page, of a
// site or of the web, and what is to be compared. Either way the graph is run only if Validate finds no fault in it.
//
// Invariants:
//   - A valid graph is acyclic, has known types of nodes with valid parameters and edges that resolve; every node is
//     reachable from one that needs no other and leads through the one that compares to the one that notifies.
//   - No target is outside the source policy, nor where the guard of fetches refuses it. Runs enforce the policy again,
//     at every fetch and redirect: see package run.
//   - The sentence, and what a model writes, are data. Nothing of either is in the system's part of a prompt, and no text
//     breaks out of its label in a diagram.
//   - What the sentence asks for and the plan does not do is named, in DAG.Unresolved.
//   - A plan by rules is the same each time, but for Spec.SavedAt.
//
// It imports backend/fetch, glob, jsonschema, llm and websearch, and no feature.
package plan
