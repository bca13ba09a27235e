// Package limits caps how much of the edge one team, or one address, can use: requests in a time, requests in flight, and
// shares of its buffers.
package limits
