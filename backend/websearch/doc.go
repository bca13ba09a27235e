// Package websearch finds pages by words: over what this installation has read itself (package local), and by the search
// services that the operator has keys for.
//
// The idea is that all of them are one small interface, in the configured order: the next is asked where one fails or
// knows nothing, and what went wrong is told apart, since a key that is wrong is the operator's affair and a service that
// is busy is nobody's.
package websearch
