// Package meter has the handler that charges prepaid credits for requests.
package meter
