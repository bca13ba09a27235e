// Package turnpike is the client of a Turnpike web data service. It pays with an API key's credits, or with a [Wallet] by
// x402.
//
// The methods named after what they do ([Client.Scrape], [Client.Crawl]) are a shorter form of those generated from the
// service's OpenAPI document ([Client.CreateScrape], [Client.CreateCrawl]), which cover the whole API. In its objects, a
// string that the API has as null is "", and other values that may be null or absent are pointers: see [Ptr].
package turnpike

//go:generate go run ./internal/generate ../../backend/api/testdata/openapi.json generated.go
