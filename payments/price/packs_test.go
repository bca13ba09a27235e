package price

import (
	"strings"
	"testing"
)

func TestDefaultPacks(t *testing.T) {
	t.Parallel()
	packs := DefaultPacks()
	if err := packs.Validate(); err != nil {
		t.Errorf("default packs: %v", err)
	}
	if p, ok := packs.Find(80_000); !ok || p.Price.String() != "70.00" {
		t.Errorf("80,000 credits: got %v, %t, want 70.00 USD", p, ok)
	}
	if p, ok := packs.Find(12_345); ok {
		t.Errorf("12,345 credits: got %v, want none", p)
	}
}

func TestPacksRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		packs Packs
		want  string
	}{
		{"none", Packs{}, "at least one"},
		{"no credits", Packs{{0, 1000}}, "credits 0"},
		{"too many credits", Packs{{packCreditsMax + 1, 1000}}, "want 1 to"},
		{"free", Packs{{10, 0}}, "0 cents"},
		{"less than Stripe takes", Packs{{10, 49}}, "49 cents"},
		{"more than Stripe takes", Packs{{10, packCentsMax + 1}}, "want 50 to"},
		{"out of order", Packs{{20, 1900}, {10, 1000}}, "ascending order"},
		{"twice", Packs{{10, 1000}, {10, 900}}, "ascending order"},
		{"as dear per credit", Packs{{10, 1000}, {20, 2000}}, "lower price per credit"},
		{"dearer per credit", Packs{{10, 1000}, {20, 2001}}, "lower price per credit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if err := tc.packs.Validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error: got %v, want %q in it", err, tc.want)
			}
		})
	}
}
