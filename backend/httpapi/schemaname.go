package httpapi

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/problem"
)

const backendPath = "github.com/turnpike-edge/turnpike/backend/"

// schemaName names a type in the OpenAPI document. Features have types of the
// same name (every one has a Request), so a feature's types are named with its
// resource: scrapes.Request is ScrapeRequest, scrapes.Scrape is Scrape.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	feature, ok := strings.CutPrefix(t.PkgPath(), backendPath)
	switch {
	case t == reflect.TypeFor[problem.Object]():
		return "Error"
	case !ok || t.Name() == "" || feature == "httpapi" || feature == "problem" || feature == "caller":
		return name
	}
	resource := strings.TrimSuffix(feature, "s")
	if strings.HasSuffix(feature, "ches") { // batches, searches
		resource = strings.TrimSuffix(feature, "es")
	}
	resource = strings.ToUpper(resource[:1]) + resource[1:]
	if strings.HasPrefix(name, resource) {
		return name
	}
	return resource + name
}
