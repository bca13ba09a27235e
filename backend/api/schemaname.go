package api

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

const backendPath = "github.com/turnpike-edge/turnpike/backend/"

// schemaName names a type in the OpenAPI document. Features have types of the same name (every one has a Request), so
// the name of the resource is added: scrapes.Request is ScrapeRequest, scrapes.Scrape is Scrape, and monitors/plan.Spec
// is MonitorPlanSpec. Names have only letters and digits, which all tools accept.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	feature, ok := strings.CutPrefix(t.PkgPath(), backendPath)
	switch {
	case t == reflect.TypeFor[problem.Object]():
		return "Error"
	case t == reflect.TypeFor[problem.MonitorObject](): // generators give a monitor's field object this name
		return "MonitorError"
	case t == reflect.TypeFor[x402.ChallengeV1]():
		return "PaymentRequired"
	case t == reflect.TypeFor[x402.RequirementsV1]():
		return "PaymentOffer"
	case t == reflect.TypeFor[x402.Notice]():
		return "PaymentNotice"
	case !ok || t.Name() == "" || feature == "api" || feature == "api/problem" || feature == "api/principal":
		return name
	}
	for _, group := range []string{"api/", "page/", "queue/"} {
		feature = strings.TrimPrefix(feature, group)
	}
	var resource strings.Builder
	for part := range strings.SplitSeq(feature, "/") {
		part = singular(part)
		resource.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	if strings.HasPrefix(name, resource.String()) {
		return name
	}
	return resource.String() + name
}

// singular returns the singular of a folder's name.
func singular(folder string) string {
	if strings.HasSuffix(folder, "ches") { // batches, searches
		return strings.TrimSuffix(folder, "es")
	}
	return strings.TrimSuffix(folder, "s")
}
