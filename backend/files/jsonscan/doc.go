// Package jsonscan checks JSON that is too large for memory. It reads a stream once, byte by byte, and reports whether
// it is one valid text (RFC 8259) in UTF-8, or the line and column of the first fault. It also returns the elements of
// an array, one at a time.
//
// It is a state machine that remembers only a state, a position and one bit for each open bracket. So its memory does
// not grow with the input: depth is bounded by [DepthMax], and an element by the caller's limit.
//
// It is stricter than encoding/json in two ways: strings must be UTF-8, and the depth limit is lower. It imports the
// standard library only.
package jsonscan
