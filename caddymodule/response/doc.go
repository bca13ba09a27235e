// Package response writes what the edge itself responds: errors in one standard form, and CORS headers.
package response
