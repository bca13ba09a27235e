// Package batches measures a batch of pages of this machine through the whole product.
package batches
