package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
)

// field is a flag that sets a field of a request.
type field struct {
	flag  string
	path  string // of the field: scrape_options.formats
	value any    // the flag's default, whose type is the flag's; zero is not sent
	usage string
}

func withFields(cmd *cobra.Command, fields ...field) *cobra.Command {
	f := cmd.Flags()
	for _, d := range fields {
		switch v := d.value.(type) {
		case int:
			f.Int(d.flag, v, d.usage)
		case bool:
			f.Bool(d.flag, v, d.usage)
		case []string:
			f.StringSlice(d.flag, v, d.usage)
		case string:
			f.String(d.flag, v, d.usage)
		}
	}
	f.StringArray("set", nil, "set any other field of the request, as `name=JSON`; may be repeated")
	return cmd
}

// request fills a request of the API from the flags. It refuses names that the API does not have.
func request[T any](cmd *cobra.Command, fields []field) (*T, error) {
	body := map[string]any{}
	for _, d := range fields {
		if reflect.ValueOf(d.value).IsZero() && !cmd.Flags().Changed(d.flag) {
			continue
		}
		var value any
		switch d.value.(type) {
		case int:
			value, _ = cmd.Flags().GetInt(d.flag)
		case bool:
			value, _ = cmd.Flags().GetBool(d.flag)
		case []string:
			value, _ = cmd.Flags().GetStringSlice(d.flag)
		case string:
			value, _ = cmd.Flags().GetString(d.flag)
		}
		set(body, d.path, value)
	}
	settings, _ := cmd.Flags().GetStringArray("set")
	for _, setting := range settings {
		name, text, ok := strings.Cut(setting, "=")
		var value any
		if !ok || json.Unmarshal([]byte(text), &value) != nil {
			return nil, fmt.Errorf(`%w: --set %s: want name=JSON, such as --set 'actions=[{"type":"wait","milliseconds":500}]'`, errUsage, setting)
		}
		set(body, name, value)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var typed T
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&typed); err != nil {
		return nil, fmt.Errorf("%w: the request: %s", errUsage, strings.TrimPrefix(err.Error(), "json: "))
	}
	return &typed, nil
}

// set puts a value at a path.
func set(object map[string]any, path string, value any) {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		object[name] = value
		return
	}
	inner, ok := object[name].(map[string]any)
	if !ok {
		inner = map[string]any{}
	}
	inner = maps.Clone(inner)
	set(inner, rest, value)
	object[name] = inner
}
