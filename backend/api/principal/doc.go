// Package principal identifies the principal of a request to the web data API: which team or wallet owns what it creates,
// under which identity its work is done once, and what it costs.
//
// backend/api makes a [Caller] from the identity that the edge signed, and puts it into the request's context for
// the features. [Priced] is the response to a paid creation, or to its dry run. [Trait] is a property of an operation,
// for backend/api.
package principal
