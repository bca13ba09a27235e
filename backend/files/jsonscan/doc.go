// Package jsonscan checks JSON that is too large to hold: it reads a stream once, byte by byte, and says whether it is one
// valid text (RFC 8259) in UTF-8, or the line and column of the first fault. It also hands out the elements of an array,
// one at a time.
//
// The idea is a state machine whose whole memory is a state, a position and one bit for each open bracket. So what it takes
// does not grow with the input: depth is bounded by [DepthMax], and an element by the caller's limit.
//
// It is stricter than encoding/json in two things: strings must be UTF-8, and depth ends sooner. It imports the standard
// library only.
package jsonscan
