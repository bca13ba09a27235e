// Package upstream finds and fetches the documents that an upstream publishes.
package upstream
