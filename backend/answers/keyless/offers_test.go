package keyless

import "testing"

// TestOffers asks what testdata/offers.txt asks: variants, plans, fares, features, choices and links. Nothing wrong may be given.
func TestOffers(t *testing.T) {
	t.Parallel()
	wantMost(t, "testdata/offers.txt")
}
