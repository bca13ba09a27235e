// Package outage classifies database errors: whether the database is unavailable at the moment ([Is]), so that the same
// request can be tried again, and whether the failed operation certainly had no effect ([NotDone]).
//
// It imports no package of this module, so that any code that reports errors to clients can use it.
package outage
