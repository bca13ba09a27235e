package links

import "testing"

func TestForm(t *testing.T) {
	t.Parallel()
	const around = " Nothing is on in the harbour, whatever anybody says of it, and whoever asks. "
	form := func(text string) uint64 { return PrintOf(text + around).Form }
	base := form("Calendar of November 2026 Mo Tu We 1 2 3 Sunday, 22 November 2026")
	for text, want := range map[string]bool{
		"Calendar of May 1999 Mo Tu We Th 4 5 6 7 8 9 Thursday, 9 April 2031": true,
		"Calendar of Mai 1999": true, "Calendar of 2026-11-22": true, "Calendar of 22.11.2026, 14:05": true, "Calendar of 22nd": true,
		"Calendar of 12.50": false, "Calendar of 104332": false, "Calendar of 12mm": false, "Calendar of nothing": false, "Kalender of May": false, "Calendar of": false,
	} {
		if got := form(text) == base; got != want {
			t.Errorf("%q: got the same form %t, want %t", text, got, want)
		}
	}
	if got := PrintOf("too little").Form; got != 0 {
		t.Errorf("too little text: got %d, want 0", got)
	}
}

func BenchmarkPrint(b *testing.B) {
	text := ""
	for len(text) < 10_000 {
		text += "The harbour market opens at 7 on Monday and closes whenever many people have gone. "
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		hashes(text)
	}
}
