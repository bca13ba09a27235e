package main

import (
	"encoding/json"
	"testing"
)

func TestIsRight(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind        string
		value, also any
		got         any
		want        bool
	}{
		{"number", 12.5, nil, json.Number("12.50"), true},
		{"number", 12.5, nil, json.Number("12"), false},
		{"price", "$1,599", nil, "$1,599.00", true},
		{"price", "$1,599", nil, "€1,599", false},
		{"price", "$5 – $7", nil, "$5", false},
		{"date", "2024-05-19", nil, "2024-05-19T08:00:00Z", true},
		{"date", "2024-05", nil, "2024-05-19", false},
		{"date", "2024-05-19", nil, "May 19, 2024", true},
		{"phone", "+1 (833) 777-3633", nil, "833-777-3633", true},
		{"phone", "+44 20 7946 0958", nil, "020 7946 0958", true},
		{"phone", "833-777-3633", nil, "833-777-3634", false},
		{"email", "A@b.example", nil, "a@b.example", true},
		{"url", "https://a.example/", nil, "https://a.example", true},
		{"name", "Reddit, Inc.", nil, "Reddit Inc", true},
		{"name", "Learner", "Learner.com", "learner.com", true},
		{"name", "Learner", nil, "Learners", false},
		{"boolean", true, nil, true, true},
		{"boolean", true, nil, false, false},
		{"list", []any{"iOS", "Android"}, nil, []string{"android", "iOS"}, true},
		{"list", []any{"iOS", "Android"}, nil, []string{"iOS"}, false},
		{"list", []any{"iOS", "Android"}, nil, []any{"iOS", "Android", "Web"}, false},
		{"name", "Learner", nil, nil, false},
	} {
		f := field{Kind: tt.kind, Value: tt.value}
		if tt.also != nil {
			f.Also = []any{tt.also}
		}
		if got := f.isRight(tt.got); got != tt.want {
			t.Errorf("%s %v for %v: got %v, want %v", tt.kind, tt.got, tt.value, got, tt.want)
		}
	}
}

// TestFolds puts all pages of a registrable domain in one fold.
func TestFolds(t *testing.T) {
	t.Parallel()
	pages, err := readSet("answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var sizes [folds]int
	for _, p := range pages {
		sizes[p.fold]++
	}
	for fold, n := range sizes {
		if n < len(pages)/folds/2 {
			t.Errorf("fold %d has %d of %d pages", fold, n, len(pages))
		}
	}
	if a, b := foldOf("https://www.shop.example.co.uk/a"), foldOf("https://blog.example.co.uk/"); a != b {
		t.Errorf("got folds %d and %d for one domain", a, b)
	}
}
