package gate

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Price modes of a listing.
const (
	PriceFixed   = "fixed"
	PriceDynamic = "dynamic" // depends on the request; ask without payment
)

// Listing is one paid route, as listed in a catalog.
type Listing struct {
	// Offer has the terms. Its Amount is the fixed price, or the price of the example where the price depends on the
	// request; 0 if it is not known. [Gate.Discover] fills in its Resource.
	Offer x402.Offer
	// Template is the path as the client sends it: see [x402.Usage.Template].
	Template string
	// Methods are the HTTP methods that the price is for.
	Methods []string
	// Tool is the tool of an MCP server that the price is for, `*` for any; empty for an HTTP request.
	Tool string
	// Dynamic says that Offer.Amount is the price of the example.
	Dynamic bool
	// Expression is the CEL expression of a dynamic price, if there is one.
	Expression string
	Updated    time.Time
}

// Publisher is what an origin says about itself.
type Publisher struct {
	Name            string
	Description     string
	Contact         string // an email address or URL
	Instructions    string
	OwnershipProofs []string // see the directories that read them
}

// DiscoveryQuery selects a part of a document.
type DiscoveryQuery struct {
	// Version is 1 or 2: how items state their terms.
	Version int
	// Limit is the most items, all if 0. Offset is how many to skip.
	Limit, Offset int
}

// DiscoveryDocument is what an origin publishes at /.well-known/x402. No specification defines its form. It contains
// what all its readers look for: a version and a list of URLs (directories), and the items of a facilitator's GET
// /discovery/resources (clients of the bazaar extension).
type DiscoveryDocument struct {
	Version         int              `json:"version"`
	X402Version     int              `json:"x402Version"`
	X402Versions    []int            `json:"x402Versions"`
	Kind            string           `json:"kind"`
	Name            string           `json:"name,omitempty"`
	Description     string           `json:"description,omitempty"`
	Contact         string           `json:"contact,omitempty"`
	Instructions    string           `json:"instructions"`
	OwnershipProofs []string         `json:"ownershipProofs,omitempty"`
	Resources       []string         `json:"resources"`
	Items           []DiscoveryItem  `json:"items"`
	Pagination      DiscoverySection `json:"pagination"`
}

// DiscoverySection says which of the items are included.
type DiscoverySection struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
	Total  int `json:"total"`
}

// DiscoveryItem is one resource, as facilitators list them.
type DiscoveryItem struct {
	Resource    string                     `json:"resource"`
	Type        string                     `json:"type"`
	X402Version int                        `json:"x402Version"`
	Accepts     []any                      `json:"accepts"`
	LastUpdated string                     `json:"lastUpdated"`
	Description string                     `json:"description,omitempty"`
	MimeType    string                     `json:"mimeType,omitempty"`
	ServiceName string                     `json:"serviceName,omitempty"`
	Metadata    DiscoveryMetadata          `json:"metadata"`
	Extensions  map[string]json.RawMessage `json:"extensions,omitempty"`
}

// DiscoveryMetadata is what an item says beyond its terms.
type DiscoveryMetadata struct {
	Methods   []string       `json:"methods"`
	Operation string         `json:"operation,omitempty"`
	Price     DiscoveryPrice `json:"price"`
	Settle    price.Settle   `json:"settle"`
	// TimeoutSeconds is how long the response may take.
	TimeoutSeconds int64 `json:"timeoutSeconds"`
	// Template says that the resource has variables in braces.
	Template bool `json:"template,omitempty"`
	// Tool is the tool of an MCP server that is sold; `*` is any tool without an item of its own.
	Tool string `json:"tool,omitempty"`
	// AcceptsV1 are the terms in the form of version 1, in addition to those of version 2.
	AcceptsV1 []any `json:"acceptsV1,omitempty"`
}

// DiscoveryPrice says what a resource costs. Amounts are in USDC, decimal.
type DiscoveryPrice struct {
	Mode     string `json:"mode"`
	Currency string `json:"currency"`
	Amount   string `json:"amount,omitempty"`
	// ExampleAmount is the price of the example in the bazaar extension.
	ExampleAmount string `json:"exampleAmount,omitempty"`
	Expression    string `json:"expression,omitempty"`
}

// DefaultInstructions are the instructions of a [Publisher] that gives none.
const DefaultInstructions = "Each resource is paid for with x402: one payment per request, without an account. Send the request " +
	"without payment: the 402 response states its price and the ways to pay, for version 2 in the PAYMENT-REQUIRED header and for " +
	"version 1 in the body. Repeat the request with the payment. A dynamic price depends on the request: the 402 response to that request states it."

// Discover describes what an origin such as https://api.example.com offers.
func (g *Gate) Discover(origin string, by *Publisher, listings []*Listing, query DiscoveryQuery) DiscoveryDocument {
	doc := DiscoveryDocument{
		Version: 1, X402Version: query.Version, X402Versions: []int{x402.Version1, x402.Version2}, Kind: "resource-server",
		Name: by.Name, Description: by.Description, Contact: by.Contact, Instructions: by.Instructions, OwnershipProofs: by.OwnershipProofs,
		Resources: []string{}, Items: []DiscoveryItem{},
	}
	if doc.Instructions == "" {
		doc.Instructions = DefaultInstructions
	}
	seen := map[string]bool{}
	for _, listing := range listings {
		// Readers request each of these URLs, so a template with a variable is left out.
		if url := origin + listing.Template; !listing.hasVariables() && !seen[url] {
			seen[url] = true
			doc.Resources = append(doc.Resources, url)
		}
	}
	doc.Pagination = DiscoverySection{Limit: query.Limit, Offset: query.Offset, Total: len(listings)}
	if query.Limit == 0 {
		doc.Pagination.Limit = len(listings)
	}
	from := min(query.Offset, len(listings))
	to := min(from+doc.Pagination.Limit, len(listings))
	for _, listing := range listings[from:to] {
		doc.Items = append(doc.Items, g.item(origin, by, listing, query.Version))
	}
	return doc
}

func (w *Listing) hasVariables() bool { return strings.ContainsAny(w.Template, "{*") }

// url is the resource's URL, or an RFC 6570 template if it has variables.
func (w *Listing) url(origin string) string {
	if path, isRest := strings.CutSuffix(w.Template, "/*"); isRest {
		return origin + path + "/{+path}"
	}
	return origin + w.Template
}

func (g *Gate) item(origin string, by *Publisher, listing *Listing, version int) DiscoveryItem {
	offer := listing.Offer
	offer.Resource = listing.url(origin)
	accepts := map[int][]any{x402.Version1: {}, x402.Version2: {}}
	if offer.Amount > 0 {
		for _, req := range g.requirements(&offer) {
			if req.Network.Name != "" {
				terms := req.V1()
				if version == x402.Version1 {
					terms.OutputSchema = offer.OutputSchema
				}
				accepts[x402.Version1] = append(accepts[x402.Version1], terms)
			}
			accepts[x402.Version2] = append(accepts[x402.Version2], req.V2())
		}
	}
	item := DiscoveryItem{
		Resource: offer.Resource, Type: "http", X402Version: version, Accepts: accepts[version],
		LastUpdated: listing.Updated.UTC().Format(time.RFC3339), Description: offer.Description, MimeType: offer.MimeType, ServiceName: by.Name,
		Metadata: DiscoveryMetadata{
			Methods: listing.Methods, Operation: offer.Operation, Price: listing.price(), Settle: offer.Settle,
			TimeoutSeconds: int64(offer.UpstreamTimeout / time.Second), Template: listing.hasVariables(), Tool: listing.Tool,
		},
	}
	if listing.Tool != "" {
		item.Type = "mcp"
	}
	if version == x402.Version2 {
		item.Metadata.AcceptsV1 = accepts[x402.Version1]
	}
	if len(offer.Bazaar) > 0 {
		item.Extensions = map[string]json.RawMessage{x402.ExtensionBazaar: offer.Bazaar[0]}
	}
	return item
}

func (w *Listing) price() DiscoveryPrice {
	p := DiscoveryPrice{Mode: PriceFixed, Currency: "USDC"}
	amount := ""
	if w.Offer.Amount > 0 {
		amount = w.Offer.Amount.String()
	}
	if w.Dynamic {
		p.Mode, p.ExampleAmount, p.Expression = PriceDynamic, amount, w.Expression
	} else {
		p.Amount = amount
	}
	return p
}
