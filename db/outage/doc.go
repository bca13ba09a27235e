// Package outage classifies database errors: whether the database is unavailable at the moment ([Is]), so that the same
// request can be tried again, and whether the failed operation certainly had no effect ([NotDone]).
package outage
