// Package outage says what an error of the database means: whether the database
// cannot be used at the moment ([Is]), so that who asked can try again as it is,
// and whether what failed certainly had no effect ([NotDone]).
//
// It imports no package of ours, so that whoever says what an error means to a
// caller can ask it.
package outage
