package object

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"context"
	"encoding/ascii85"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// lzwEncoded is LZW of the least effort: a clear code before every 200 bytes keeps the codes at nine bits, whichever
// way they grow.
func lzwEncoded(s string) string {
	var out []byte
	bits, have := uint32(0), 0
	put := func(code uint32) {
		bits, have = bits<<9|code, have+9
		for have >= 8 {
			out = append(out, byte(bits>>(have-8)))
			have -= 8
		}
	}
	for i := range len(s) {
		if i%200 == 0 {
			put(256)
		}
		put(uint32(s[i]))
	}
	put(257)
	put(0)
	return string(out)
}

func deflated(s string) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return out.String()
}

// tiffEncoded and pngEncoded apply predictors for rows of the given width.
func tiffEncoded(s string, row int) string {
	out := []byte(s)
	for start := 0; start < len(out); start += row {
		for i := min(start+row, len(out)) - 1; i > start; i-- {
			out[i] -= out[i-1]
		}
	}
	return string(out)
}

func pngEncoded(s string, row int) string {
	var out []byte
	above := make([]byte, row)
	for start, kind := 0, byte(0); start < len(s); start, kind = start+row, (kind+1)%5 {
		line := []byte(s[start:min(start+row, len(s))])
		out = append(out, kind)
		for i, c := range line {
			var left, upLeft byte
			if i > 0 {
				left, upLeft = line[i-1], above[i-1]
			}
			switch kind {
			case 1:
				c -= left
			case 2:
				c -= above[i]
			case 3:
				c -= byte((int(left) + int(above[i])) / 2)
			case 4:
				c -= paeth(left, above[i], upLeft)
			}
			out = append(out, c)
		}
		above = append(line, make([]byte, row)...)[:row]
	}
	return string(out)
}

func TestFilters(t *testing.T) {
	t.Parallel()
	const text = "BT /F1 12 Tf 72 700 Td (Hello, world) Tj ET"
	content := text + strings.Repeat(" ", 300)
	a85 := func(s string) string {
		out := make([]byte, ascii85.MaxEncodedLen(len(s)))
		return string(out[:ascii85.Encode(out, []byte(s))]) + "~>"
	}
	runs := func(s string) string {
		var out []byte
		for len(s) > 0 {
			n := min(len(s), 100)
			out = append(append(out, byte(n-1)), s[:n]...)
			s = s[n:]
		}
		return string(append(append(out, byte(257-50)), ' ', 128))
	}
	flate := deflated(content)
	for _, tt := range []struct{ name, entries, data string }{
		{"none", "", content},
		{"Flate", "/Filter /FlateDecode", flate},
		{"Flate, short names", "/F /Fl", flate},
		{"Flate without a checksum", "/Filter [/FlateDecode]", flate[:len(flate)-4]},
		{"Flate cut", "/Filter /FlateDecode", flate[:len(flate)-8]},
		{"Flate with a wrong checksum", "/Filter /FlateDecode", flate[:len(flate)-4] + "abcd"},
		{"Flate without a header", "/Filter /FlateDecode", flate[2:]},
		{"LZW", "/Filter /LZWDecode", lzwEncoded(content)},
		{"LZW, late", "/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>", lzwEncoded(content)},
		{"ASCII hex", "/Filter /ASCIIHexDecode", hex.EncodeToString([]byte(content)) + ">"},
		{"ASCII 85", "/Filter /ASCII85Decode", a85(content)},
		{"ASCII 85 of Flate", "/Filter [/ASCII85Decode /FlateDecode]", a85(flate)},
		{"run lengths", "/Filter /RunLengthDecode", runs(content)},
		{"TIFF predictor", "/Filter /FlateDecode /DecodeParms << /Predictor 2 /Columns 10 >>", deflated(tiffEncoded(content, 10))},
		{"PNG predictors", "/Filter /FlateDecode /DecodeParms [<< /Predictor 15 /Columns 10 >>]", deflated(pngEncoded(content, 10))},
		{"PNG predictors of LZW", "/Filter [/AHx /LZW] /DecodeParms [null << /Predictor 12 /Columns 7 >>]", hex.EncodeToString([]byte(lzwEncoded(pngEncoded(content, 7))))},
		{"identity crypt filter", "/Filter [/Crypt /FlateDecode] /DecodeParms [<< /Name /Identity >> null]", flate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := NewBudget(t.Context(), Limits{})
			f, err := Open([]byte("1 0 obj null endobj"), b)
			if err != nil {
				t.Fatal(err)
			}
			entries := NewParser([]byte(tt.entries+" >>"), b).Dict(100)
			got, err := f.Decode(&Stream{Dict: entries, data: []byte(tt.data)})
			if err != nil || strings.TrimRight(string(got), " ") != text {
				t.Errorf("got %q, %v, want %q", got, err, text)
			}
		})
	}
}

// Codes of all widths, by an encoder that is not ours: GIF's grows its codes late, and has its bits the other way round,
// so the standard library's for PDF's order serves.
func TestLZWWidths(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "%d ", i*i%977)
	}
	var packed bytes.Buffer
	w := lzw.NewWriter(&packed, lzw.MSB, 8)
	if _, err := w.Write([]byte(text.String())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := NewBudget(t.Context(), Limits{})
	got, err := applyFilter(b, "LZWDecode", Dict{"EarlyChange": 0}, packed.Bytes())
	if err != nil || string(got) != text.String() {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, text.Len())
	}
}

func FuzzFilters(f *testing.F) {
	for i, data := range []string{deflated("hello hello hello"), "80 0B 60 50", "87cURD]i,\"Ebo80~>", "48656C6C6F>", "\x04hello\xfea\x80", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01"} {
		f.Add(byte(i), byte(i), []byte(data))
	}
	names := []Name{"FlateDecode", "LZWDecode", "ASCII85Decode", "ASCIIHexDecode", "RunLengthDecode"}
	f.Fuzz(func(t *testing.T, which, parameters byte, data []byte) {
		parms := Dict{"Predictor": int(parameters & 15), "Colors": int(parameters >> 6), "BitsPerComponent": 8, "Columns": int(parameters >> 2), "EarlyChange": int(parameters & 1)}
		b := NewBudget(context.Background(), Limits{DecodedBytesMax: 1 << 20})
		out, _ := applyFilter(b, names[int(which)%len(names)], parms, data)
		if len(out) > 1<<20 {
			t.Errorf("gave %d bytes", len(out))
		}
	})
}
