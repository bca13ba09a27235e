package keyless

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"testing"
)

// TestPages asks what testdata/pages.txt asks. Nothing wrong may be given; what is not found is counted.
func TestPages(t *testing.T) {
	t.Parallel()
	wantMost(t, "testdata/pages.txt")
}

// wantMost asks what a file asks: nothing wrong may be given, and 85 of 100 known values are to be found.
func wantMost(t *testing.T, file string) {
	t.Helper()
	w, questions := readPages(t, file)
	known, found := 0, 0
	for _, q := range questions {
		got := answer(t, w, q.text, q.format)
		want, have := leaves(t, q.want), leaves(t, string(got.JSON))
		if len(want) != len(have) {
			t.Errorf("%s: got %s, want %s", q.text, got.JSON, q.want)
		}
		for path, value := range want {
			switch {
			case value != "NOT_FOUND" && have[path] == "NOT_FOUND":
				known++
				t.Logf("%s: %s was not found, want %v", q.text, path, value)
			case !same(value, have[path]):
				t.Errorf("%s: %s: got %v, want %v", q.text, path, have[path], value)
			case value != "NOT_FOUND":
				known++
				found++
			}
		}
	}
	t.Logf("%d pages, %d questions: %d of %d known values found", len(w.pages), len(questions), found, known)
	if found*100 < known*85 {
		t.Errorf("got %d of %d known values, want 85 of 100", found, known)
	}
}

// wantAnswers asks what a file asks: all of it is to be found, and nothing else given.
func wantAnswers(t *testing.T, file string) {
	t.Helper()
	w, questions := readPages(t, file)
	if len(questions) == 0 {
		t.Fatal("no questions")
	}
	for _, q := range questions {
		have := leaves(t, string(answer(t, w, q.text, q.format).JSON))
		for path, want := range leaves(t, q.want) {
			if !same(want, have[path]) {
				t.Errorf("%s: %s: got %v, want %v", q.text, path, have[path], want)
			}
		}
	}
}

// same reports whether a value is the right one: a number may be a text.
func same(want, got any) bool {
	return reflect.DeepEqual(want, got) || fmt.Sprint(want) == fmt.Sprint(got)
}

// leaves are the values of an answer by path.
func leaves(t *testing.T, text string) map[string]any {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out := map[string]any{}
	var walk func(at string, value any)
	walk = func(at string, value any) {
		if object, ok := value.(map[string]any); ok {
			for name := range maps.Keys(object) {
				walk(at+"/"+name, object[name])
			}
			return
		}
		out[at] = value
	}
	walk("", root)
	return out
}
