package ask

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const checkedText = `Port Alder

The harbour has 12 berths and a depth of 7.5 m. It opened on 3 May 1901, cost £1.5m and holds 12,345 boats, 1 250 000 tonnes a year.
Write to office@port-alder.example or see https://port-alder.example/visit. Dogs are not allowed. Fuel: yes
State: In stock. Call +44 20 7946 0958 from 09:30 on 2019-06-07. Version 1.2.3 of 03/04/2019. The “Old Pier” — built by A. Smith & Sons.
Length 120 ft, width 30 m; twenty-one cranes; berth A4; temperature -5 °C. 1,2 of it`

func source(text, language string) *Source {
	return &Source{URL: "https://port-alder.example/", Document: &extract.Document{Text: text, Metadata: extract.Metadata{Language: language}}}
}

func formatOf(t testing.TB, text string) *Format {
	t.Helper()
	f, err := ParseFormat(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"n":{"type":"number"},"i":{"type":"integer"},"s":{"type":"string"},"d":{"type":"string","format":"date"},
		"dogs_allowed":{"type":"boolean"},"fuel":{"type":"boolean"},"u":{"type":"string","format":"uri"},"e":{"type":"string","format":"email"},
		"state":{"type":"string","enum":["in_stock","out_of_stock"]},"l":{"type":"array","items":{"type":"string"}},"length_m":{"type":"number"},"x":{},
		"crew":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}}}`
	format := formatOf(t, schema)
	for _, test := range []struct {
		path, value, quote string
		want               error
	}{
		{"/n", `12`, "has 12 berths", nil},
		{"/i", `12`, "has 12 berths", nil},
		{"/i", `12.5`, "has 12 berths", ErrWrongType},
		{"/n", `13`, "has 12 berths", ErrNotQuoted},
		{"/n", `12`, "has 12 ships", ErrNoQuote},
		{"/n", `7.5`, "a depth of 7.5 m", nil},
		{"/n", `7.50`, "a depth of 7.5 m", nil},
		{"/n", `7`, "a depth of 7", ErrNoQuote},
		{"/n", `5`, "5 m", ErrNoQuote},
		{"/n", `1500000`, "cost £1.5m", nil},
		{"/n", `1.5`, "cost £1.5m", ErrNotQuoted},
		{"/n", `12345`, "holds 12,345 boats", nil},
		{"/n", `345`, "345 boats", ErrNoQuote},
		{"/n", `12`, "holds 12,345 boats", ErrNotQuoted},
		{"/n", `1250000`, "1 250 000 tonnes", nil},
		{"/n", `250000`, "250 000 tonnes", ErrNotQuoted},
		{"/n", `-5`, "temperature -5 °C", nil},
		{"/n", `5`, "temperature -5 °C", ErrNotQuoted},
		{"/n", `21`, "twenty-one cranes", nil},
		{"/n", `1`, "one cranes", ErrNotQuoted},
		{"/n", `4`, "berth A4", ErrNotQuoted},
		{"/n", `20`, "Call +44 20 7946", nil},
		{"/n", `44`, "Call +44 20 7946", ErrNotQuoted},
		{"/n", `9`, "from 09:30 on", ErrNotQuoted},
		{"/n", `1.2`, "Version 1.2.3 of", ErrNotQuoted},
		{"/n", `7`, "on 2019-06-07", ErrNotQuoted},
		{"/n", `2019`, "on 2019-06-07", nil},
		{"/n", `"12"`, "has 12 berths", ErrWrongType},
		{"/length_m", `120`, "Length 120 ft", ErrNotQuoted},
		{"/length_m", `30`, "width 30 m", nil},
		{"/s", `"12"`, "has 12 berths", nil},
		{"/s", `"12"`, "holds 12,345 boats", ErrNotQuoted},
		{"/s", `"\"Old Pier\" - built"`, "\"Old Pier\" – built", nil},
		{"/s", `"old pier"`, "Old Pier", ErrNotQuoted},
		{"/s", `"A. Smith & Sons"`, "built by A.  Smith\n& Sons", nil},
		{"/s", `"Smit"`, "A. Smith", ErrNotQuoted},
		{"/s", `"1901-05-03"`, "on 3 May 1901", nil},
		{"/d", `"1901-05-03"`, "on 3 May 1901", nil},
		{"/d", `"1901-05-04"`, "on 3 May 1901", ErrNotQuoted},
		{"/d", `"2019-06-07"`, "on 2019-06-07", nil},
		{"/d", `"2019-04-03"`, "of 03/04/2019", ErrNotQuoted},
		{"/x", `"1901-05"`, "on 3 May 1901", nil},
		{"/dogs_allowed", `false`, "Dogs are not allowed.", nil},
		{"/dogs_allowed", `true`, "Dogs are not allowed.", ErrNotQuoted},
		{"/dogs_allowed", `true`, "The harbour has 12 berths", ErrNotQuoted},
		{"/fuel", `true`, "Fuel: yes", nil},
		{"/fuel", `false`, "Fuel: yes", ErrNotQuoted},
		{"/u", `"https://port-alder.example/visit"`, "see https://port-alder.example/visit.", nil},
		{"/u", `"https://port-alder.example/"`, "see https://port-alder.example/visit.", ErrNotQuoted},
		{"/e", `"office@port-alder.example"`, "Write to office@port-alder.example", nil},
		{"/e", `"office@port-alder"`, "Write to office@port-alder.example", ErrNotQuoted},
		{"/e", `"ice@port-alder.example"`, "Write to office@port-alder.example", ErrNotQuoted},
		{"/state", `"in_stock"`, "State: In stock.", nil},
		{"/state", `"out_of_stock"`, "State: In stock.", ErrNotQuoted},
		{"/state", `"gone"`, "State: In stock.", ErrWrongType},
		{"/l", `["berths","depth"]`, "12 berths and a depth", nil},
		{"/l", `["berths","cranes"]`, "12 berths and a depth", ErrNotQuoted},
		{"/l/0", `"berths"`, "12 berths and a depth", nil},
		{"/l/x", `"berths"`, "12 berths and a depth", ErrNoField},
		{"/crew/0/name", `"A. Smith"`, "A. Smith", nil},
		{"/crew/0/age", `"A. Smith"`, "A. Smith", ErrNoField},
		{"/crew/0", `"A. Smith"`, "A. Smith", ErrNoField},
		{"/nope", `1`, "has 12 berths", ErrNoField},
		{"/n", `{"a":1}`, "has 12 berths", ErrWrongType},
		{"/n", `1`, "", ErrNoQuote},
	} {
		c := NewChecker(format)
		c.Add(source(checkedText, "en"))
		err := c.Check(Value{Path: test.path, JSON: json.RawMessage(test.value), URL: "https://port-alder.example/", Quote: test.quote})
		if test.want == nil && err != nil || !errors.Is(err, test.want) {
			t.Errorf("%s = %s by %q: got %v, want %v", test.path, test.value, test.quote, err, test.want)
		}
	}
}

func TestCheckReadsLanguages(t *testing.T) {
	t.Parallel()
	format := formatOf(t, `{"n":0,"d":"date"}`)
	text := "Es kostet 1.234,50 € und wiegt 1.234 kg, am 03.04.2019 oder 3. März 2020. Am 05/06/2021."
	for _, test := range []struct {
		language, path, value, quote string
		want                         bool
	}{
		{"de", "/n", `1234.5`, "1.234,50 €", true},
		{"en", "/n", `1234.5`, "1.234,50 €", true},
		{"de", "/n", `1234`, "wiegt 1.234 kg", true},
		{"de", "/n", `1.234`, "wiegt 1.234 kg", false},
		{"en", "/n", `1.234`, "wiegt 1.234 kg", true},
		{"de", "/d", `"2019-04-03"`, "am 03.04.2019", true},
		{"de", "/d", `"2020-03-03"`, "3. März 2020", true},
		{"en-GB", "/d", `"2021-06-05"`, "05/06/2021", true},
		{"en-US", "/d", `"2021-05-06"`, "05/06/2021", true},
		{"", "/d", `"2021-05-06"`, "05/06/2021", false},
	} {
		kept, _ := Check(format, []Value{{Path: test.path, JSON: json.RawMessage(test.value), URL: "https://port-alder.example/", Quote: test.quote}}, []*Source{source(text, test.language)})
		if (len(kept) == 1) != test.want {
			t.Errorf("%s %s by %q: got %v, want %v", test.language, test.value, test.quote, len(kept) == 1, test.want)
		}
	}
}

func TestCheckLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The old town lies on both banks of the river – and above it. ", 150)
	kept, refused := Check(formatOf(t, `{"about":""}`),
		[]Value{{Path: "/about", JSON: MarshalValue(strings.TrimSpace(strings.ReplaceAll(long, "–", "-"))), URL: "https://port-alder.example/", Quote: long}},
		[]*Source{source("Intro\n\n"+strings.ReplaceAll(long, "river", "river\n")+"\n\nMore.", "en")})
	if len(kept) != 1 {
		t.Errorf("got %v, want it kept", refused)
	}
}

func TestCheckStructuredAndFiles(t *testing.T) {
	t.Parallel()
	page := &Source{URL: "https://a.example/", Document: &extract.Document{Text: "x", Structured: &extract.Structured{
		JSONLD: []*extract.Item{{Types: []string{"Product"}, Properties: map[string][]any{"offers": {&extract.Item{Properties: map[string][]any{"price": {json.Number("12.50")}}}}}}},
		Tables: []extract.Table{{Header: []string{"Name", "Price"}, Rows: [][]string{{"Adult", "€12"}}}},
	}}}
	file := &Source{URL: "file:file_1", JSON: json.RawMessage(`{"harbour":{"name":"Alder","berths":12,"open":true}}`), Document: &extract.Document{}}
	kept, refused := Check(formatOf(t, `{"price":0,"adult":"","berths":0,"open":false}`), []Value{
		{Path: "/price", JSON: json.RawMessage(`12.5`), URL: "https://a.example/", Quote: "price: 12.50"},
		{Path: "/adult", JSON: json.RawMessage(`"€12"`), URL: "https://a.example/", Quote: "Adult | €12"},
		{Path: "/berths", JSON: json.RawMessage(`12`), URL: "file:file_1", Quote: "berths: 12"},
		{Path: "/berths", JSON: json.RawMessage(`12`), URL: "file:file_1", Quote: `"berths": 12`},
		{Path: "/open", JSON: json.RawMessage(`true`), URL: "file:file_1", Quote: "open: true"},
		{Path: "/open", JSON: json.RawMessage(`"NOT_FOUND"`), URL: "", Quote: ""},
		{Path: "/open", JSON: json.RawMessage(`true`), URL: "https://b.example/", Quote: "open: true"},
	}, []*Source{page, file})
	if len(kept) != 5 || len(refused) != 1 || !errors.Is(refused[0].Err, ErrNoSource) {
		t.Errorf("got %d kept and refused %v, want 5 and the one without a source", len(kept), refused)
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	format := formatOf(t, `{"type":"object","properties":{"b":{"type":"integer","maximum":20},"a":{"type":"string"},"unit":{"const":"m"},
		"crew":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}},"tags":{"type":"array","items":{"type":"string"}},"d":{"type":"string","format":"date"}}}`)
	value := func(path, text string, url string) Value {
		return Value{Path: path, JSON: json.RawMessage(text), URL: url, Quote: "q" + path}
	}
	answer, err := Compose(format, []Value{
		value("/b", "21", "u1"), value("/a", `"x"`, "u1"), value("/a", `"x"`, "u2"), value("/a", `"y"`, "u3"),
		value("/crew/3/name", `"Jo"`, "u2"), value("/crew/7/age", "30", "u2"), value("/tags/4", `"t"`, "u2"), value("/d", `"soon"`, "u2"), value("/zz", `1`, "u9"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"b":"NOT_FOUND","a":"x","unit":"m","crew":[{"name":"Jo","age":"NOT_FOUND"},{"name":"NOT_FOUND","age":30}],"tags":["t"],"d":"NOT_FOUND"}`
	if string(answer.JSON) != want {
		t.Errorf("got  %s\nwant %s", answer.JSON, want)
	}
	var cited []string
	for _, c := range answer.Citations {
		cited = append(cited, c.Field+" "+c.URL)
	}
	if got := strings.Join(cited, ", "); got != "/a u1, /a u2, /crew/0/name u2, /crew/1/age u2, /tags/0 u2" {
		t.Errorf("got citations %s", got)
	}
	if got := strings.Join(answer.Sources, " "); got != "u2 u1" {
		t.Errorf("got sources %s, want u2 u1", got)
	}
}

// FuzzCheck checks any claim of a finder: a value that is accepted is in the source.
func FuzzCheck(f *testing.F) {
	f.Add(checkedText, `12`, "has 12 berths", 0)
	f.Add(checkedText, `"A. Smith"`, "by A. Smith", 1)
	f.Add("1 250 000", `250000`, "250 000", 0)
	f.Add("é\u0301 12\u00a0345 x", `12345`, "12 345", 0)
	f.Add("a\xffb", `"b"`, "b", 1)
	f.Add("twelve hundred", `12`, "twelve", 0)
	format := formatOf(f, `{"n":0,"s":"","b":false,"l":[""],"e":"email"}`)
	paths := []string{"/n", "/s", "/b", "/l", "/e", "/l/0"}
	f.Fuzz(func(t *testing.T, text, value, quote string, at int) {
		v := Value{Path: paths[uint(at)%uint(len(paths))], JSON: json.RawMessage(value), URL: "https://port-alder.example/", Quote: quote}
		kept, _ := Check(format, []Value{v}, []*Source{source(text, "en")})
		if len(kept) == 0 {
			return
		}
		all := bareOf(Plain(text))
		if !strings.Contains(all, bareOf(Plain(quote))) {
			t.Fatalf("the quote %q was accepted, which is not in %q", quote, text)
		}
		if err := standsIn(v, text); err != "" {
			t.Fatal(err)
		}
		if answer, err := Compose(format, kept); err != nil || !json.Valid(answer.JSON) {
			t.Fatalf("got %s, %v", answer.JSON, err)
		}
	})
}

// standsIn is a second, simpler check: the text has the digits of a number, and the characters of a string.
func standsIn(v Value, text string) string {
	switch v.Path {
	case "/n":
		wanted, _ := new(big.Rat).SetString(string(v.JSON))
		for _, n := range NumbersIn(Plain(text), "en") {
			if wanted != nil && n.Value.Cmp(wanted) == 0 {
				return ""
			}
		}
		return "the number " + string(v.JSON) + " was accepted from " + text
	case "/s", "/e":
		var s string
		_ = json.Unmarshal(v.JSON, &s)
		if isDate(s) || strings.Contains(strings.ToLower(bareOf(Plain(text))), strings.ToLower(strings.TrimSuffix(bareOf(Plain(s)), "/"))) {
			return ""
		}
		return "the string " + s + " was accepted from " + text
	}
	return ""
}
