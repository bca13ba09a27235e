package main

import "testing"

func TestLexiconForgetsADomain(t *testing.T) {
	t.Parallel()
	k := newKind()
	for i := range 20 {
		k.add(string(rune('a'+i)), sightings{"nav": {0, 0.5, 1}, "entry": {1, 0.5, 1}, "even": {0.5, 0.5, 1}})
	}
	k.add("z", sightings{"own": {1, 0.5, 1}})
	k.choose()
	if odds := k.odds(); len(odds) != 2 || odds["nav"] > -1 || odds["entry"] < 1 {
		t.Errorf("got %v, want nav below -1, entry above 1, and nothing else", odds)
	}
	if all, without := k.without("none", "nav"), k.without("a", "nav"); without <= all {
		t.Errorf("got %v without a domain and %v with it, want less certainty", without, all)
	}
	if got := k.without("z", "own"); got != 0 {
		t.Errorf("got %v for a word of one site, want 0", got)
	}
}
