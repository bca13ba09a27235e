package keyless

import "testing"

// TestFrames asks what testdata/frames.txt asks: all of it is to be found, and nothing else given.
func TestFrames(t *testing.T) {
	t.Parallel()
	wantAnswers(t, "testdata/frames.txt")
}

// TestFramesAreWhole: each line of frames.txt has keys, a known kind, and ways with one place for the value.
func TestFramesAreWhole(t *testing.T) {
	t.Parallel()
	kinds := set("name org thing place river country phrase clause list code term stuff days money number date year")
	for i, f := range frames() {
		if len(f.keys) == 0 || len(f.ways) == 0 || !kinds[f.kind] {
			t.Errorf("frame %d: got %d keys, %d ways, kind %q", i, len(f.keys), len(f.ways), f.kind)
		}
		for _, key := range f.keys {
			if len(key) == 0 {
				t.Errorf("frame %d of kind %s has a key that says nothing", i, f.kind)
			}
		}
		for j, one := range f.ways {
			if one.before == nil && one.behind == nil {
				t.Errorf("frame %d of kind %s: way %d has nothing beside the value", i, f.kind, j)
			}
		}
	}
}
