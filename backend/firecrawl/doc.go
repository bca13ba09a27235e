// Package firecrawl serves the clients of Firecrawl's API, version 2, with the features of this service: the paths below /v2.
//
// It translates requests and responses and has no work of its own. The features check, do and charge the work, with the same
// prices as their own operations; credits are those of this service. What a client can ask for and no feature has is
// refused, in Firecrawl's form of errors, and never ignored; docs/firecrawl.md lists it.
//
// The routes are not in the OpenAPI document: their clients exist.
package firecrawl
