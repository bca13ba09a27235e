// Command real measures on answers.jsonl how well a task about one real page is answered without a model, out of fold, and with -train
// writes the model of backend/answers/reader. The sites are divided into five folds by a hash of their registrable domain. Each fold is
// answered by a model that has seen no page of its sites.
//
// The pages are those of WCXB (see README.md), which are not part of the repository. Nothing is measured without them.
package main
