package apikey

import (
	"encoding/binary"
	"testing"
	"time"
)

func hashFor(i int) (h Hash) {
	binary.BigEndian.PutUint32(h[:], uint32(i))
	return h
}

func TestFoundKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := newFound(100, func() time.Time { return now })
	f.setWatched(true)
	get := func(i int) *entry { return f.get(hashFor(i)) }
	put := func(i int, exists bool) { f.put(f.begin(), hashFor(i), &entry{exists: exists}) }
	put(0, true)
	for i := 1; i <= 1000; i++ {
		put(i, true)
		if i%40 == 0 && get(0) == nil {
			t.Fatalf("after %d others, a key in use is forgotten", i)
		}
		if kept := len(f.newer) + len(f.older); kept > 100 {
			t.Fatalf("%d keys are kept, want at most 100", kept)
		}
	}
	if get(1) != nil || get(1000) == nil {
		t.Error("want the last key kept and the first forgotten")
	}
	for i := range 3 * missingMax {
		put(-1-i, false)
	}
	if get(0) == nil || get(-3*missingMax) == nil || len(f.missing) > missingMax {
		t.Errorf("keys that do not exist: want a bounded number of them, and none driven out by them; got %d", len(f.missing))
	}
	if now = now.Add(keepUnwatched); get(-3*missingMax) != nil {
		t.Error("that a key does not exist is believed for too long")
	}
	f.forget(hashFor(0))
	if get(0) != nil {
		t.Error("a forgotten key is found")
	}
	if now = now.Add(keepWatched); get(1000) != nil {
		t.Error("a key is believed for too long")
	}
}

// A key is one of many that are in use, as on an edge that has been up for a while.
func BenchmarkFound(b *testing.B) {
	const keys = 100_000
	f := newFound(2*keys, time.Now)
	f.setWatched(true)
	for i := range keys {
		f.put(f.begin(), hashFor(i), &entry{exists: true})
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i += 7919 {
			if f.get(hashFor(i%keys)) == nil {
				b.Fatal("not found")
			}
		}
	})
}
