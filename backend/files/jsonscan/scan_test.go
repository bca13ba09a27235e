package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/files/jsonscan"
)

func TestScanSummarises(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want jsonscan.Summary
	}{
		{`{}`, jsonscan.Summary{TopLevel: jsonscan.Object, Bytes: 2, Lines: 1}},
		{`[]`, jsonscan.Summary{TopLevel: jsonscan.Array, Bytes: 2, Lines: 1}},
		{" [1, [2, 3], {\"a\": [4]}, -0.5e+3, \"x\", null]\n", jsonscan.Summary{TopLevel: jsonscan.Array, Items: 6, Bytes: 45, Lines: 2}},
		{`{"a":[1,2,3]}`, jsonscan.Summary{TopLevel: jsonscan.Object, Bytes: 13, Lines: 1}},
		{`"é"`, jsonscan.Summary{TopLevel: jsonscan.String, Bytes: 4, Lines: 1}},
		{`0`, jsonscan.Summary{TopLevel: jsonscan.Number, Bytes: 1, Lines: 1}},
		{"true\r\n", jsonscan.Summary{TopLevel: jsonscan.Boolean, Bytes: 6, Lines: 2}},
		{`null`, jsonscan.Summary{TopLevel: jsonscan.Null, Bytes: 4, Lines: 1}},
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(tt.text), "by bytes": iotest.OneByteReader(strings.NewReader(tt.text)),
			"with its end": iotest.DataErrReader(strings.NewReader(tt.text)),
		} {
			if got, err := jsonscan.Scan(r); err != nil || got != tt.want {
				t.Errorf("%s, %s: got %+v, %v, want %+v", tt.text, name, got, err, tt.want)
			}
		}
	}
}

func TestScanNamesThePlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{``, `line 1, column 1: expected a value, found the end of the text`},
		{"\n\n ", `line 3, column 2: expected a value, found the end of the text`},
		{"[1,\n 2,\n  oops]", `line 3, column 3: expected a value, found 'o'`},
		{`[1 2]`, `line 1, column 4: expected a comma or ], found '2'`},
		{`[1,]`, `line 1, column 4: expected a value, found ']'`},
		{`[}`, `line 1, column 2: expected a value or ], found '}'`},
		{`{"é": "ü" x}`, `line 1, column 11: expected a comma or }, found 'x'`},
		{`{'a':1}`, `line 1, column 2: expected a key in double quotes or }, found '''`},
		{`{"a":1,}`, `line 1, column 8: expected a key in double quotes, found '}'`},
		{`{"a" 1}`, `line 1, column 6: expected a colon, found '1'`},
		{`{} {}`, `line 1, column 4: expected nothing more after the value, found '{'`},
		{`[]]`, `line 1, column 3: expected nothing more after the value, found ']'`},
		{`01`, `line 1, column 2: a number must not begin with 0 before another digit`},
		{`[-]`, `line 1, column 3: expected a digit, found ']'`},
		{`1.`, `line 1, column 3: the text ends within a number`},
		{`[1.e3]`, `line 1, column 4: expected a digit, found 'e'`},
		{`nul`, `line 1, column 4: the text ends within null`},
		{`trux`, `line 1, column 4: expected true, found 'x' in it`},
		{`"a`, `line 1, column 3: the text ends within a string`},
		{"\"a\nb\"", `line 1, column 3: the byte 0x0a must be escaped in a string, as \u000a`},
		{`"\x"`, `line 1, column 3: expected one of "\/bfnrtu after a backslash, found 'x'`},
		{`"\u12g4"`, `line 1, column 6: expected four hexadecimal digits after \u, found 'g'`},
		{"\"é\xff\"", `line 1, column 3: the byte 0xff is not UTF-8 here`},
		{"\"\xed\xa0\x80\"", `line 1, column 2: the byte 0xa0 is not UTF-8 here`},
		{"\"\xc3\"", `line 1, column 3: the byte 0x22 is not UTF-8 here`},
		{"\xef\xbb\xbf{}", `line 1, column 1: expected a value, found the byte 0xef: a byte order mark must not begin JSON (RFC 8259 section 8.1)`},
		{strings.Repeat("[", 513), `line 1, column 513: arrays and objects are nested deeper than 512`},
		{strings.Repeat("[", 512), `line 1, column 513: expected a value or ], found the end of the text`},
	} {
		_, err := jsonscan.Scan(strings.NewReader(tt.text))
		if fault, ok := errors.AsType[*jsonscan.SyntaxError](err); !ok || fault.Error() != tt.want {
			t.Errorf("%q: got %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestScanReturnsTheReadersError(t *testing.T) {
	t.Parallel()
	if _, err := jsonscan.Scan(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(`[1,2]`)))); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

func elements(text string, bytesMax int) ([]string, error) {
	var got []string
	err := jsonscan.Elements(iotest.OneByteReader(strings.NewReader(text)), bytesMax, func(index int64, raw []byte) error {
		if index != int64(len(got)) {
			return errors.New("elements do not count on")
		}
		got = append(got, string(raw))
		return nil
	})
	return got, err
}

func TestElements(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{`[]`, nil},
		{` [ ] `, nil},
		{`[1]`, []string{`1`}},
		{`[ 1 , 2.5e1,"a,]\"" , {"a": [1, 2]} ,[ ], null,[[3],4],true ]`, []string{
			`1`, `2.5e1`, `"a,]\""`, `{"a": [1, 2]}`, `[ ]`, `null`, `[[3],4]`, `true`,
		}},
	} {
		got, err := elements(tt.text, 100)
		if err != nil || strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
			t.Errorf("%s: got %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}

func TestElementsRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `1`, `"[1]"`, `{"a":[1]}`, `null`, `12 `} {
		if got, err := elements(text, 100); !errors.Is(err, jsonscan.ErrNotArray) || got != nil {
			t.Errorf("%s: got %q, %v, want ErrNotArray", text, got, err)
		}
	}
	for _, text := range []string{"[1,\n\"abc\"]", "[1,\n[1,2]]", "[1,\n12345]", "[1,\n12345 ]"} {
		_, err := elements(text, 4)
		if fault, ok := errors.AsType[*jsonscan.ElementError](err); !ok || fault.Index != 1 || fault.Line != 2 || fault.BytesMax != 4 {
			t.Errorf("%s: got %v, want element 1 refused in line 2", text, err)
		}
	}
	if got, err := elements(`["ab",1234]`, 4); err != nil || len(got) != 2 {
		t.Errorf("got %q, %v, want both", got, err)
	}
	got, err := elements(`[1,2,x]`, 4)
	if _, ok := errors.AsType[*jsonscan.SyntaxError](err); !ok || len(got) != 2 {
		t.Errorf("got %q, %v, want two elements and a syntax error", got, err)
	}
	own := errors.New("own")
	if err := jsonscan.Elements(strings.NewReader(`[1,2]`), 9, func(int64, []byte) error { return own }); !errors.Is(err, own) {
		t.Errorf("got %v, want the caller's error", err)
	}
}

// A scan allocates only its buffer and itself, however long and deep the text is.
func TestScanTakesConstantMemory(t *testing.T) { //nolint:paralleltest // it counts allocations
	small, large := allocated(t, 1_000), allocated(t, 64<<20)
	if large > small+8 {
		t.Errorf("got %v allocations for 64 MiB, want about the %v of a short text", large, small)
	}
}

func allocated(t *testing.T, size int64) float64 {
	t.Helper()
	return testing.AllocsPerRun(1, func() {
		r := io.MultiReader(strings.NewReader("["), &elementsOf{size}, strings.NewReader("1]"))
		if _, err := jsonscan.Scan(r); err != nil {
			t.Fatal(err)
		}
	})
}

// elementsOf yields whole elements, each followed by a comma.
type elementsOf struct{ left int64 }

func (e *elementsOf) Read(p []byte) (int, error) {
	const element = `{"url":"https://example.com/ä","n":[1.5e3,true,null]},`
	n := 0
	for ; e.left > 0 && len(p)-n >= len(element); e.left -= int64(len(element)) {
		n += copy(p[n:], element)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func depthOf(data []byte) int {
	deepest, depth, quoted := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '[' || c == '{'):
			depth++
			deepest = max(deepest, depth)
		case !quoted && (c == ']' || c == '}'):
			depth--
		}
	}
	return deepest
}

// FuzzScan: encoding/json agrees on what is valid and on the elements, and the position of a fault is within the text.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e+10,"\u00e9\n",true,false,null,{}]}`, `[1,2,[3,{"b":"c"}]]`, ` "x" `, `-0`, `1e`, `[1,]`, `{"a"}`, "\"\xff\"",
		"\x94", "[\"\xf0\x9f\x98\x80\",\n2]", `["\ud800"]`, "\xef\xbb\xbf1", strings.Repeat("[", 600), strings.Repeat("[", 512) + strings.Repeat("]", 512),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		summary, err := jsonscan.Scan(bytes.NewReader(data))
		want := json.Valid(data) && utf8.Valid(data) && depthOf(data) <= jsonscan.DepthMax
		if (err == nil) != want {
			t.Fatalf("%q: got %v, want valid %t", data, err, want)
		}
		if err != nil {
			fault, ok := errors.AsType[*jsonscan.SyntaxError](err)
			lines := int64(bytes.Count(data, []byte("\n"))) + 1
			if !ok || fault.Line < 1 || fault.Line > lines || fault.Column < 1 || fault.Column > int64(len(data))+1 {
				t.Fatalf("%q: got %v, want a place within it", data, err)
			}
			return
		}
		checkElements(t, data, summary)
	})
}

func checkElements(t *testing.T, data []byte, summary jsonscan.Summary) {
	t.Helper()
	var want []json.RawMessage
	isArray := summary.TopLevel == jsonscan.Array
	if isArray {
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	err := jsonscan.Elements(bytes.NewReader(data), len(data), func(_ int64, raw []byte) error {
		got = append(got, string(raw))
		return nil
	})
	if isArray != (err == nil) || (err != nil && !errors.Is(err, jsonscan.ErrNotArray)) {
		t.Fatalf("%q: got %v for %s", data, err, summary.TopLevel)
	}
	if int64(len(want)) != summary.Items || len(got) != len(want) {
		t.Fatalf("%q: got %d elements, counted %d, want %d", data, len(got), summary.Items, len(want))
	}
	for i := range want {
		if got[i] != string(want[i]) {
			t.Fatalf("%q: got element %d %q, want %q", data, i, got[i], want[i])
		}
	}
}

// BenchmarkScan must stay over 200 MB/s, so that the largest file is checked in a second.
func BenchmarkScan(b *testing.B) {
	var text bytes.Buffer
	text.WriteByte('[')
	for i := range 20_000 {
		text.WriteString(`{"custom_id":"item-` + strconv.Itoa(i) + `","url":"https://example.com/products/` + strconv.Itoa(i) + `","metadata":{"n":"1"}},`)
	}
	text.WriteString("null]")
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonscan.Scan(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
