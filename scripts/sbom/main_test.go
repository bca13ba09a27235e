package main

import (
	"runtime/debug"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{GoVersion: "go1.26.1", Deps: []*debug.Module{
		{Path: "example.com/a", Version: "v1.0.0"},
		{Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.1.0"}},
	}}
	const whole = `{"name":"std","version":"go1.26.1"},{"name":"example.com/fork","version":"v1.1.0"}`
	for _, tt := range []struct{ name, components, want string }{
		{"all", whole + `,{"name":"example.com/a","version":"v1.0.0"}`, ""},
		{"one is missing", whole, "only in the binary: example.com/a v1.0.0"},
		{
			"another version", whole + `,{"name":"example.com/a","version":"v1.0.1"}`,
			"only in the binary: example.com/a v1.0.0\nonly in the document: example.com/a v1.0.1",
		},
		{
			"one too many", whole + `,{"name":"example.com/a","version":"v1.0.0"},{"name":"example.com/b","version":"v1.0.0"}`,
			"only in the document: example.com/b v1.0.0",
		},
	} {
		got := ""
		if err := compare([]byte(`{"components":[`+tt.components+`]}`), info); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if err := compare([]byte("<bom/>"), info); err == nil {
		t.Error("what is no JSON: got nil, want an error")
	}
}
