// Package clocktest gives tests a clock that stands still until it is moved.
//
// It imports no package of ours.
package clocktest
