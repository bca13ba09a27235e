// Package metadata holds the rules of the `metadata` that clients attach to resources, for every feature that has it.
package metadata
