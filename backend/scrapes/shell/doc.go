// Package shell tells a page with its content from a shell that scripts fill, which needs a browser.
//
// Read collects the signs of either in one pass over the page's tokens, and the rules in reason.go judge by them.
package shell
