// Package interop holds the edge against clients and conditions that are not ours: the x402 client packages that are
// published on npm, unchanged, pay a running edge (`make interop`, build tag interop), and copies of one payment come
// at several edges at once.
//
// The edges are the built binary, run by dev/rig; the chain and the database are those of the dev mode.
package interop
