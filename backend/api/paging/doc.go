// Package paging implements list requests: it parses query parameters, and writes the opaque cursors of lists that go
// from newest to oldest. A cursor is the position after the last returned entry, so new entries do not shift the pages.
package paging
