// Package contract is the service contract as a table: one row for each
// endpoint, body field, query parameter, limit, state and error that the service
// promises (table.tsv), and beside it the test that proves it.
//
// The one idea is that a promise without a test is not kept but hoped for, so
// the table counts: a row either names a test that is in the tree or the area of
// work in which it will be proven. A row never names a test that does not fail
// when the row's rule is broken.
//
// Its columns, separated by tabs:
//
//	id       unique, lower case with hyphens; never reused for something else
//	kind     one of Kinds
//	subject  what the rule is about
//	rule     what holds, in few words
//	proof    "area <one of Areas>", or the tests that prove it, separated by
//	         spaces, each as <folder>.<TestName>, such as payments/credits.TestRefusal;
//	         the root folder is empty
//
// It imports the standard library only.
package contract
