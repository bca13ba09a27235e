// Package outage tells errors apart that come of a database which is away from
// those that are a fault of ours: who asked can try the first again as it is,
// and nothing was done meanwhile.
//
// It imports no package of ours, so that whoever says what an error means to a
// caller can ask it.
package outage
