// Package clocktest gives tests a clock that stands still until it is moved.
package clocktest
