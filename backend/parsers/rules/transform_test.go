package rules

import (
	"strconv"
	"testing"
)

func TestTransforms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, value, transforms, want string }{
		{"trim", `" a  b "`, `["trim"]`, `"a  b"`},
		{"collapse", `" a \n b "`, `["collapse"]`, `"a b"`},
		{"lower", `"ÄB"`, `["lower"]`, `"äb"`},
		{"upper, of a list", `["a","b"]`, `["upper"]`, `["A","B"]`},
		{"regex", `"SKU: AB-12"`, `[{"regex":"SKU: (\\S+)"}]`, `"AB-12"`},
		{"regex, another group", `"a-b"`, `[{"regex":{"pattern":"(.)-(.)","group":2}}]`, `"b"`},
		{"regex, the whole", `"a-b"`, `[{"regex":{"pattern":"(.)-(.)","group":0}}]`, `"a-b"`},
		{"regex that does not match", `"x"`, `[{"regex":"y"}]`, `null`},
		{"replace", `"a-b-c"`, `[{"replace":{"pattern":"-(\\w)","with":"+$1"}}]`, `"a+b+c"`},
		{"replace by nothing", `"a-b"`, `[{"replace":{"pattern":"-"}}]`, `"ab"`},
		{"number", `"from 1,299.50 USD"`, `["number"]`, `1299.50`},
		{"number, with a mark that is said", `"1.299"`, `[{"number":{"decimal":","}}]`, `1299`},
		{"integer", `"12 pieces"`, `["integer"]`, `12`},
		{"integer of a fraction", `"1.5"`, `["integer"]`, `null`},
		{"boolean", `"https://schema.org/InStock"`, `["boolean"]`, `true`},
		{"date", `"March 5, 2024"`, `["date"]`, `"2024-03-05"`},
		{"date, in an order", `"03/04/2024"`, `[{"date":{"order":"dmy"}}]`, `"2024-04-03"`},
		{"date, in a zone", `"2024-07-01 12:30"`, `[{"date":{"time_zone":"UTC"}}]`, `"2024-07-01T12:30:00Z"`},
		{"absolute_url", `"../a b"`, `["absolute_url"]`, `"https://shop.example/a%20b"`},
		{"currency", `"49,90 €"`, `["currency"]`, `"EUR"`},
		{"split", `"a, b,,c"`, `[{"split":","}]`, `["a","b","c"]`},
		{"split, of a list", `["a,b","c"]`, `[{"split":","}]`, `["a","b","c"]`},
		{"join", `["a",1,"b"]`, `[{"join":" / "}]`, `"a / 1 / b"`},
		{"unique", `["a","b","a"]`, `["unique"]`, `["a","b"]`},
		{"first", `["a","b"]`, `["first"]`, `"a"`},
		{"last", `["a","b"]`, `["last"]`, `"b"`},
		{"count", `["a","b"]`, `["count"]`, `2`},
		{"map", `" In  Stock"`, `[{"map":{"in stock":true,"*":false}}]`, `true`},
		{"map, all others", `"gone"`, `[{"map":{"in stock":true,"*":false}}]`, `false`},
		{"map that does not know", `"gone"`, `[{"map":{"in stock":true}}]`, `null`},
		{"one after another", `"A|B"`, `["lower",{"split":"|"},"last"]`, `"b"`},
		{"of a number", `12`, `[{"replace":{"pattern":"1","with":"2"}}]`, `"22"`},
		{"of nothing", `null`, `["number"]`, `null`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := evalField(t, `{}`, `{"const":`+tc.value+`,"transforms":`+tc.transforms+`}`); got != tc.want {
				t.Errorf("%s of %s: got %s, want %s", tc.transforms, tc.value, got, tc.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string
		comma bool
		want  string // "": none
	}{
		{"0", false, "0"},
		{"42", false, "42"},
		{"$1,299.50", false, "1299.50"},
		{"1.299,00 €", false, "1299.00"},
		{"1 299,00", true, "1299.00"},
		{"1 299,00 €", true, "1299.00"},
		{"1'299.00", false, "1299.00"},
		{"1’299.05 CHF", false, "1299.05"},
		{"1,299", false, "1299"},
		{"1,299", true, "1.299"},
		{"1.299", false, "1.299"},
		{"1.299", true, "1299"},
		{"1.29", true, "1.29"},
		{"0.299", true, "0.299"},
		{"12,5", false, "12.5"},
		{"1,234,567", false, "1234567"},
		{"1.234.567", false, "1234567"},
		{"1,23,456.7", false, "123456.7"},
		{"1,234.567,89", false, ""},
		{"007", false, "7"},
		{"-5", false, "-5"},
		{"−5 °C", false, "-5"},
		{"(-5)", false, "-5"},
		{"$-5", false, "-5"},
		{"3-5", false, "3"},
		{"A-7", false, "7"},
		{"10 - 20", false, "10"},
		{"-0", false, "0"},
		{".5", false, "0.5"},
		{"-.5", false, "-0.5"},
		{"about 3.", false, "3"},
		{"Version 2.0.1", false, ""},
		{"٣٫٥", false, "3.5"},
		{"１２", false, "12"},
		{"12 345", false, "12345"},
		{"12 34", false, "12"},
		{"2 for 100", false, "2"},
		{"none", false, ""},
		{"", false, ""},
		{"1234567890123456789012345678901", false, ""},
	} {
		got, ok := parseNumber(tc.text, &numberOptions{comma: tc.comma})
		if string(got) != tc.want || ok != (tc.want != "") {
			t.Errorf("%q (comma %t): got %q, want %q", tc.text, tc.comma, got, tc.want)
		}
	}
	for language, want := range map[string]bool{"": false, "en": false, "en-US": false, "de": true, "de-CH": false, "pt_BR": true, "es-MX": false, "ja": false} {
		if got := usesDecimalComma(language); got != want {
			t.Errorf("%q: got %t, want %t", language, got, want)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, order, want string }{
		{"2024-03-05", "", "2024-03-05"},
		{"2024-03-05T10:20:30Z", "", "2024-03-05T10:20:30Z"},
		{"2024-03-05T10:20:30.5+02:00", "", "2024-03-05T10:20:30+02:00"},
		{"2024-03-05T10:20:30+0200", "", "2024-03-05T10:20:30+02:00"},
		{"2024-03-05 10:20", "", "2024-03-05"},
		{"Tue, 05 Mar 2024 10:20:30 GMT", "", "2024-03-05T10:20:30Z"},
		{"Tue, 05 Mar 2024 10:20:30 CET", "", "2024-03-05"},
		{"2024/3/5", "", "2024-03-05"},
		{"20240305", "", "2024-03-05"},
		{"5.3.2024", "", "2024-03-05"},
		{"3/5/2024", "", "2024-03-05"},
		{"25/12/2024", "", "2024-12-25"},
		{"12-25-2024", "", "2024-12-25"},
		{"05/03/24", "dmy", "2024-03-05"},
		{"05/03/24", "mdy", "2024-05-03"},
		{"24/03/05", "ymd", "2024-03-05"},
		{"5 March 2024", "", "2024-03-05"},
		{"Published on March 5th, 2024 by Anna", "", "2024-03-05"},
		{"5. März 2024", "", "2024-03-05"},
		{"1er août 2023", "", "2023-08-01"},
		{"5 de marzo de 2024", "", "2024-03-05"},
		{"5 maart 2024", "", "2024-03-05"},
		{"1709634030", "", "2024-03-05T10:20:30Z"},
		{"1709634030123", "", "2024-03-05T10:20:30Z"},
		{"31.2.2024", "", ""},
		{"13/13/2024", "", ""},
		{"yesterday", "", ""},
		{"", "", ""},
	} {
		got, ok := parseDate(tc.text, dateOptions{order: tc.order})
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%q (%s): got %q, want %q", tc.text, tc.order, got, tc.want)
		}
	}
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"49 €": "EUR", "USD 3": "USD", "R$ 5": "BRL", "$5": "USD", "A$5": "AUD", "12 zł": "PLN", "chf": "CHF", "CHF 5.–": "CHF", "5": "", "THE 5": "", "¥100": "JPY",
	} {
		if got := currencyOf(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzValues(f *testing.F) {
	for _, seed := range []string{"1.299,00 €", "-.5", "5. März 2024", "2024-03-05T10:20:30Z", "٣٫٥", "12 345", "\xff", "R$ 1'0", "1709634030"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, comma bool) {
		if n, ok := parseNumber(text, &numberOptions{comma: comma}); ok {
			if _, err := strconv.ParseFloat(n.String(), 64); err != nil {
				t.Errorf("number of %q: got %q, want a number", text, n)
			}
			if _, err := EncodeJSON(n); err != nil {
				t.Errorf("number of %q: %v", text, err)
			}
			if again, ok := parseNumber(n.String(), &numberOptions{certain: true}); !ok || again != n {
				t.Errorf("number of %q: got %q, and %q when read again", text, n, again)
			}
		}
		if d, ok := parseDate(text, dateOptions{}); ok {
			if again, ok := parseDate(d, dateOptions{}); !ok || again != d {
				t.Errorf("date of %q: got %q, and %q when read again", text, d, again)
			}
		}
		currencyOf(text)
		parseBoolean(text)
		countWords(text)
		sectionsOf(text)
		gtin(text)
	})
}
