// Package plan turns a sentence about what to watch into a plan that can be read, drawn, checked and run.
//
// Every plan passes the same validation, whatever made it. A language model may propose a plan. If there is no model, or
// no proposal passes, rules read the sentence: its addresses, whether it is about a page, a site or the web, and what is
// to be compared. A graph runs only if Validate finds no fault in it.
//
// Invariants:
//   - A valid graph is acyclic, has nodes of known types with valid parameters, and edges that resolve. Every node is
//     reachable from a start node and leads through the compare node to the notify node.
//   - No target is outside the source policy or refused by the fetch guard. Runs enforce the policy again, at every fetch
//     and redirect: see package run.
//   - The sentence and a model's replies are data. No part of them is in the system part of a prompt, and no text can
//     break out of its label in a diagram.
//   - Parts of the request that the plan does not cover are listed in DAG.Unresolved.
//   - A plan by rules is the same each time, except for Spec.SavedAt.
package plan
