// Package required checks that the required fields of a configuration are set.
package required

import (
	"errors"
	"fmt"
	"reflect"
)

// Fields returns an error for each field of the struct config that has the tag `required:"true"` and is zero or empty.
func Fields(config any) error {
	var errs []error
	v := reflect.ValueOf(config)
	for field, value := range v.Fields() {
		isEmpty := value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0
		if field.Tag.Get("required") == "true" && isEmpty {
			errs = append(errs, fmt.Errorf("%s is required", field.Name))
		}
	}
	return errors.Join(errs...)
}
