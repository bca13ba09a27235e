// Package prices loads the price modules that say what a request costs: fixed, by expression, or by the upstream's price book.
package prices
