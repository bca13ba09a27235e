// Package contract is the service contract as a table (table.tsv): one row for each endpoint, body field, query
// parameter, limit, state and error that the service promises, and the test that proves it.
//
// A promise without a test is not reliable, so each row names either an existing test or the area of work in which it
// will be proven, and the proven rows are counted. A row never names a test that does not fail when the row's rule is
// broken.
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
package contract
