// Package parish is a site that changes, of ten makers who share neither layout nor words: pages of a town and its trades that
// people keep an eye on, each as the software behind it would write it.
//
// Runs are a day apart from Monday, 7 September 2026, so that results stand on the day after a match and countdowns count down.
package parish
