// Package request finds out who sends a request to the edge, what was sent, and to which address.
package request
