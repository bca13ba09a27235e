package openapi

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Config is what a document is completed with.
type Config struct {
	Document *huma.OpenAPI
	Book     *price.Book
	// PaidPrefix begins the paths of operations that are paid for one by one.
	PaidPrefix string
	// DocsURL is where errors are documented.
	DocsURL string
	// SchemePayment and SchemePaymentV1 are the names of the security schemes of the two versions of x402.
	SchemePayment, SchemePaymentV1 string
}

// Complete completes the document, after all operations are registered.
func Complete(config Config) {
	c := &completer{Config: config, schemas: config.Document.Components.Schemas, responses: map[string]*huma.Response{}}
	for _, written := range []reflect.Type{
		reflect.TypeFor[problem.Object](), reflect.TypeFor[problem.MonitorObject](), reflect.TypeFor[x402.ChallengeV1](), reflect.TypeFor[x402.Notice](),
	} {
		c.schemas.Schema(written, true, "")
	}
	challenge := c.schemas.Schema(reflect.TypeFor[x402.ChallengeV1](), true, "")
	c.schemas.SchemaFromRef(challenge.Ref).Properties["accepts"].Nullable = false
	c.addPaidTwins()
	c.correctSchemas()
	for _, path := range slices.Sorted(maps.Keys(c.Document.Paths)) {
		for _, op := range operationsOf(c.Document.Paths[path]) {
			c.addPrice(path, op)
			c.addExamples(op)
			c.addErrors(op, strings.HasPrefix(path, c.PaidPrefix))
		}
	}
	c.Document.Components.Responses = c.responses
	c.Document.Tags = tags
}

type completer struct {
	Config

	schemas   huma.Registry
	responses map[string]*huma.Response // by their names in the document
}

func operationsOf(item *huma.PathItem) []*huma.Operation {
	all := []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete}
	return slices.DeleteFunc(all, func(op *huma.Operation) bool { return op == nil })
}

// tags say what each group of operations is for.
var tags = []*huma.Tag{
	{Name: "Scrapes", Description: "One page, at once."},
	{Name: "Batches", Description: "Many pages from a list, in the background."},
	{Name: "Crawls", Description: "The pages of a site, in the background."},
	{Name: "Maps", Description: "The URLs of a site."},
	{Name: "Searches", Description: "Search results, with their pages if requested."},
	{Name: "Answers", Description: "Answers to tasks, with their sources."},
	{Name: "Monitors", Description: "Pages that are watched for changes."},
	{Name: "Parsers", Description: "Rules that turn pages into JSON."},
	{Name: "Files", Description: "Lists of items for batches, and context for answers."},
	{Name: "Schedules", Description: "Requests that are made at set times."},
	{Name: "Webhooks", Description: "Deliveries of events to your URLs, and the secret that signs them."},
	{Name: "Notifications", Description: "Deliveries of events by email and Slack."},
	{Name: "Account", Description: "The team's credits, usage and API keys."},
	{Name: "Pricing", Description: "What operations cost."},
}

// addPaidTwins adds the pay-per-use path of each operation that the book sells for USDC. The edge takes the payment and
// strips the prefix.
func (c *completer) addPaidTwins() {
	for _, rule := range c.Book.Document().Rules {
		path, paid := strings.CutPrefix(rule.Path, c.PaidPrefix)
		if last, isTarget := strings.CutSuffix(path, "/*"); isTarget {
			path = last + "/{url}"
		}
		item := c.Document.Paths[path]
		if !paid || item == nil || c.Document.Paths[c.PaidPrefix+path] != nil {
			continue
		}
		operation, twin := item.Post, &huma.PathItem{}
		if operation == nil {
			operation = item.Get
			twin.Get = c.twinOf(operation)
		} else {
			twin.Post = c.twinOf(operation)
		}
		if operation != nil {
			c.Document.Paths[c.PaidPrefix+path] = twin
		}
	}
}

// twinOf describes an operation as a wallet uses it: without dry runs, because the 402 states the price.
func (c *completer) twinOf(operation *huma.Operation) *huma.Operation {
	if operation == nil {
		return nil
	}
	twin := *operation
	twin.Path = c.PaidPrefix + operation.Path
	twin.OperationID += "Paid"
	twin.Summary += " (pay per use)"
	twin.Parameters = slices.DeleteFunc(slices.Clone(operation.Parameters), func(p *huma.Param) bool { return p.Name == "dry_run" })
	twin.Security = []map[string][]string{{c.SchemePayment: {}}, {c.SchemePaymentV1: {}}}
	twin.Responses = maps.Clone(operation.Responses)
	success := *operation.Responses["200"]
	success.Content = maps.Clone(success.Content)
	for kind, media := range success.Content {
		if media.Schema != nil && len(media.Schema.OneOf) > 0 && media.Schema.Discriminator != nil {
			success.Content[kind] = &huma.MediaType{Schema: media.Schema.OneOf[0]}
		}
	}
	success.Headers = maps.Clone(success.Headers)
	if success.Headers == nil {
		success.Headers = map[string]*huma.Param{}
	}
	success.Headers[x402.HeaderReceiptV2] = headerOf("The receipt of the payment: base64 of JSON. For version 1 it is in " + x402.HeaderReceiptV1 + ".")
	twin.Responses["200"] = &success
	return &twin
}

func headerOf(description string) *huma.Param {
	return &huma.Param{Description: description, Schema: &huma.Schema{Type: huma.TypeString}}
}

// cost is the extension x-price: what an operation costs, as the price book has it.
type cost struct {
	// Price is an amount in Unit, a CEL expression over the request, "quote" or "free".
	Price       price.Amount  `json:"price"`
	Unit        edgewire.Unit `json:"unit,omitempty"`
	Description string        `json:"description,omitempty"`
}

// addPrice documents what an operation costs, if the book offers it. Public operations have no price.
func (c *completer) addPrice(path string, op *huma.Operation) {
	if principal.AccessOf(op) == principal.Public {
		return
	}
	unit := edgewire.UnitCredit
	if strings.HasPrefix(path, c.PaidPrefix) {
		unit = edgewire.UnitUSDC
	}
	rule, err := c.Book.Rule(op.Method, aPath(path), unit)
	if err != nil {
		return
	}
	extensions := maps.Clone(op.Extensions)
	if extensions == nil {
		extensions = map[string]any{}
	}
	extensions["x-price"] = cost{Price: rule.Price, Unit: rule.Unit, Description: rule.Description}
	op.Extensions = extensions
}

// aPath returns a path that a template stands for.
func aPath(template string) string {
	segments := strings.Split(template, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			segments[i] = "x"
		}
	}
	return strings.Join(segments, "/")
}

// isPriced reports whether requests of the operation may cost something.
func isPriced(op *huma.Operation) bool {
	found, ok := op.Extensions["x-price"].(cost)
	return ok && !found.Price.IsFree()
}

// hasBody reports whether the operation takes a body.
func hasBody(op *huma.Operation) bool { return op.RequestBody != nil && op.Method != http.MethodGet }
