package decode

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// fill sets to from a decoded value that has passed its schema, and from the value's text where a type reads its JSON
// itself. null leaves to unchanged. What is missing gets the default of the field's tag, as with Huma. The error says
// what the schema let through and the type cannot hold.
func fill(to reflect.Value, value any, text []byte) error {
	if own, ok := to.Addr().Interface().(json.Unmarshaler); ok {
		return own.UnmarshalJSON(text)
	}
	if value == nil {
		return nil
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		return fill(to.Elem(), value, text)
	}
	switch v := value.(type) {
	case map[string]any:
		if to.Kind() == reflect.Struct {
			return fillStruct(to, v, text)
		}
		if to.Kind() == reflect.Map {
			return fillMap(to, v, text)
		}
	case []any:
		if to.Kind() == reflect.Slice {
			return fillSlice(to, v, text)
		}
	case int64:
		switch {
		case to.CanInt() && !to.OverflowInt(v):
			to.SetInt(v)
			return nil
		case to.CanFloat():
			to.SetFloat(float64(v))
			return nil
		}
	case float64:
		switch {
		case to.CanInt() && v == math.Trunc(v) && math.Abs(v) < 1<<53 && !to.OverflowInt(int64(v)):
			to.SetInt(int64(v))
			return nil
		case to.CanFloat():
			to.SetFloat(v)
			return nil
		}
	}
	rv := reflect.ValueOf(value)
	if rv.Kind() != to.Kind() && to.Kind() != reflect.Interface {
		return fmt.Errorf("%.40s does not fit", text)
	}
	to.Set(rv.Convert(to.Type()))
	return nil
}

func fillStruct(to reflect.Value, members map[string]any, text []byte) error {
	fields := fieldsOf(to.Type())
	for name, member := range edgewire.Members(text) {
		if field, ok := fields[name]; ok {
			if err := fill(to.FieldByIndex(field.Index), members[name], member); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	for name, field := range fields {
		value, ok := field.Tag.Lookup("default")
		at := to.FieldByIndex(field.Index)
		if !ok || !at.IsZero() {
			continue
		}
		if at.Kind() == reflect.Pointer {
			at.Set(reflect.New(at.Type().Elem()))
			at = at.Elem()
		}
		if at.Kind() == reflect.String {
			at.SetString(value)
		} else if err := json.Unmarshal([]byte(value), at.Addr().Interface()); err != nil {
			return fmt.Errorf("default of %s: %w", name, err)
		}
	}
	return nil
}

func fillMap(to reflect.Value, members map[string]any, text []byte) error {
	to.Set(reflect.MakeMapWithSize(to.Type(), len(members)))
	for name, member := range edgewire.Members(text) {
		value := reflect.New(to.Type().Elem()).Elem()
		if err := fill(value, members[name], member); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		to.SetMapIndex(reflect.ValueOf(name).Convert(to.Type().Key()), value)
	}
	return nil
}

func fillSlice(to reflect.Value, elements []any, text []byte) error {
	to.Set(reflect.MakeSlice(to.Type(), len(elements), len(elements)))
	i := 0
	for element := range edgewire.Elements(text) {
		if err := fill(to.Index(i), elements[i], element); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
		i++
	}
	return nil
}
