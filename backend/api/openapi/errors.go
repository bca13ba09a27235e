package openapi

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// audience says which error objects an operation's errors have.
type audience struct {
	name string // begins the names of the responses
	// one is its error object; nil: the standard one.
	one reflect.Type
	// own are the objects that it also gets with a status.
	own map[int]reflect.Type
}

var (
	subscribers = audience{}
	// The edge's own statuses are always the standard object: see api.Server.form.
	watchers = audience{name: "Monitor", one: reflect.TypeFor[problem.MonitorObject]()}
	payers   = audience{
		name: "Payment", own: map[int]reflect.Type{
			http.StatusBadRequest: reflect.TypeFor[x402.ChallengeV1](), // a payment that cannot be read
			http.StatusConflict:   reflect.TypeFor[x402.Notice](), http.StatusBadGateway: reflect.TypeFor[x402.Notice](),
			http.StatusServiceUnavailable: reflect.TypeFor[x402.Notice](),
		},
	}
)

// addErrors gives an operation the errors that it may respond with: its own, those of all operations, and those of the edge.
func (c *completer) addErrors(op *huma.Operation, paid bool) {
	for _, status := range sharedErrors(op, paid) {
		code := strconv.Itoa(status)
		if op.Responses[code] == nil {
			op.Responses[code] = &huma.Response{}
		}
	}
	who := subscribers
	switch {
	case paid:
		who = payers
	case principal.HasMonitorErrors(op):
		who = watchers
	}
	for code := range op.Responses {
		if status, err := strconv.Atoi(code); err == nil && status >= http.StatusBadRequest {
			op.Responses[code] = c.errorRef(who, status)
		}
	}
}

// sharedErrors are the statuses that do not depend on what the operation does.
func sharedErrors(op *huma.Operation, paid bool) []int {
	statuses := []int{
		http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}
	if principal.AccessOf(op) != principal.Public {
		statuses = append(statuses, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden)
	}
	if strings.Contains(op.Path, "{") {
		statuses = append(statuses, http.StatusNotFound)
	}
	if hasBody(op) {
		statuses = append(statuses, http.StatusRequestEntityTooLarge)
	}
	if isPriced(op) {
		statuses = append(statuses, http.StatusPaymentRequired)
	}
	if principal.Replays(op) {
		statuses = append(statuses, http.StatusConflict, http.StatusUnprocessableEntity)
	}
	if paid {
		statuses = append(statuses, http.StatusConflict, http.StatusBadGateway)
	}
	return statuses
}

// errorRef returns a reference to the response with a status. All operations share it.
func (c *completer) errorRef(who audience, status int) *huma.Response {
	schema := c.schemas.Schema(reflect.TypeFor[problem.Object](), true, "Error")
	one := c.errorObject(status)
	var example any = one
	headers := map[string]*huma.Param{}
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	switch {
	case who.name == payers.name && status == http.StatusPaymentRequired:
		name = "PaymentRequiredForUse"
		schema = &huma.Schema{AnyOf: []*huma.Schema{c.schemas.Schema(reflect.TypeFor[x402.ChallengeV1](), true, ""), schema}}
		example = challengeExample
		headers[x402.HeaderRequired] = headerOf("The terms in version 2 of x402: base64 of JSON.")
	case who.own[status] != nil:
		name = who.name + name
		schema = &huma.Schema{AnyOf: []*huma.Schema{schema, c.schemas.Schema(who.own[status], true, "")}}
	case who.name == watchers.name && !isOfEdge(status):
		name = who.name + name
		monitors := c.schemas.Schema(who.one, true, "")
		if isAlsoOfEdge(status) {
			monitors = &huma.Schema{AnyOf: []*huma.Schema{monitors, schema}}
		}
		schema = monitors
		example = problem.MonitorObject{Error: one.Detail, MonitorID: exampleID("monitor"), Object: one}
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		headers["Retry-After"] = &huma.Param{Description: "When to try again, in seconds.", Schema: &huma.Schema{Type: huma.TypeInteger}}
	}
	if c.responses[name] == nil {
		c.responses[name] = &huma.Response{
			Description: describeStatus(status), Headers: headers,
			Content: map[string]*huma.MediaType{"application/json": {Schema: schema, Example: example}},
		}
	}
	return &huma.Response{Ref: "#/components/responses/" + name}
}

// isOfEdge reports whether errors with a status look the same on all routes, because the edge sends them, too.
func isOfEdge(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusPaymentRequired || status == http.StatusTooManyRequests
}

// isAlsoOfEdge reports whether both the edge and the service may respond with a status, each in its form.
func isAlsoOfEdge(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusRequestEntityTooLarge:
		return true
	}
	return status >= http.StatusInternalServerError
}

// describeStatus returns the status in words, with the codes of its errors.
func describeStatus(status int) string {
	var codes []string
	for _, code := range problem.Codes() {
		if code.Kind().Status == status {
			codes = append(codes, string(code))
		}
	}
	if len(codes) == 0 {
		return http.StatusText(status)
	}
	return fmt.Sprintf("%s: %s", http.StatusText(status), strings.Join(codes, ", "))
}

// details are those of the errors in examples. For others the status in words is enough.
var details = map[problem.Code]string{
	problem.ValidationError: "The request is not valid: url_to_scrape: is required.",
	problem.InvalidAPIKey:   `This needs a valid API key: send it as "Authorization: Bearer <key>".`,
}

func (c *completer) errorObject(status int) problem.Object {
	for _, code := range problem.Codes() {
		if code.Kind().Status != status {
			continue
		}
		detail := details[code]
		if detail == "" {
			detail = code.Kind().Title + "."
		}
		return problem.New(code, detail).Object(exampleID("error"), c.DocsURL, exampleUnix)
	}
	return problem.Internal(nil).Object(exampleID("error"), c.DocsURL, exampleUnix)
}

var challengeExample = x402.ChallengeV1{
	X402Version: x402.Version1, Error: x402.CodePaymentRequired, Message: "This request costs 0.01 USDC.",
	Accepts: []x402.RequirementsV1{{
		Scheme: x402.SchemeExact, Network: "base", MaxAmountRequired: "10000", Resource: "https://api.example.com/x402/v1/scrapes",
		Description: "One web page", MimeType: "application/json", PayTo: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", MaxTimeoutSeconds: 300,
		Asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
	}},
}
