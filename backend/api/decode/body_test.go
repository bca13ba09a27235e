package decode_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

type request struct {
	URL   string       `json:"url" minLength:"1"`
	Many  raw          `json:"many,omitempty" decode:"raw"`
	Count decode.Whole `json:"count,omitempty" minimum:"1" maximum:"9"`

	Nested *inner                     `json:"nested,omitempty"`
	All    []inner                    `json:"all,omitempty"`
	Named  map[string]json.RawMessage `json:"named,omitempty"`
	Any    any                        `json:"any,omitempty"`
	At     *time.Time                 `json:"at,omitempty"`
}

type inner struct {
	Words []string `json:"words,omitempty"`
	Small int8     `json:"small,omitempty"`
	Ratio float64  `json:"ratio,omitempty"`
	Is    *bool    `json:"is,omitempty"`
}

// raw is a field that only the operation checks.
type raw []byte

func (r *raw) UnmarshalJSON(data []byte) error {
	*r = append([]byte(nil), data...)
	return nil
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		ok   bool
	}{
		{`{"url":"a"}`, true},
		{`{"url":"a","many":[1,2,{"x":"y"}],"count":3}`, true},
		{`{"url":"a","many":1e400}`, true},
		{` {"url":"a","count":null} `, true},
		{``, false},
		{"\n\t ", false},
		{`null`, false},
		{`[]`, false},
		{`7`, false},
		{`{}`, false},
		{`{"url":""}`, false},
		{`{"url":null}`, false},
		{`{"url":7}`, false},
		{`{"url":"a","other":1}`, false},
		{`{"url":"a","count":1e400}`, true}, // Number refuses it
	} {
		r, err := decode.Request[request](edgewire.NewBody([]byte(tt.text)))
		switch {
		case tt.ok && (err != nil || r.URL != "a"):
			t.Errorf("%s: got %+v, %v, want it taken", tt.text, r, err)
		case !tt.ok && err == nil:
			t.Errorf("%s: got %+v, want a refusal", tt.text, r)
		}
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "100000": 100000, "-0": -1, "-1": -1, "+1": -1, "1.0": -1, "1e2": -1, "1e300": -1, "100001": -1, "9223372036854775808": -1,
		`"5"`: -1, "true": -1, "[]": -1, "{}": -1, "0x1": -1, "1_0": -1,
	} {
		n, faults := decode.Whole(text).Number("count", 0, 100_000)
		if (want < 0) != (len(faults) == 1) || want >= 0 && n != want {
			t.Errorf("%s: got %d and %v, want %d", text, n, faults, want)
		}
	}
	var none decode.Whole
	if !none.IsZero() || !decode.Whole("null").IsZero() || decode.Whole("0").IsZero() {
		t.Error("only nothing and null are zero")
	}
	if _, faults := none.Number("count", 1, 9); len(faults) != 1 {
		t.Errorf("nothing: got %v, want a fault", faults)
	}
}

// FuzzDecode: any body is refused with a problem or decoded, to what encoding/json makes of it.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"url":"a"}`, `{"url":"a","count":1e300}`, `{"url":"a","many":[`, `[[[[`, `{"url":"\u0000","count":-0}`,
		`{"url":"a","nested":{"words":["\ud800",null],"small":-0,"ratio":1e3,"is":true},"all":[{},{"small":127}],"named":{"x":[1]},"any":{"y":[1.5]},"at":"2026-12-24T09:00:00Z"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 0 && edgewire.CheckJSON(text) != nil {
			return
		}
		r, err := decode.Request[request](edgewire.NewBody(text))
		if err != nil {
			if code := problem.From(err).Code; code != problem.ValidationError && code != problem.InternalServerError {
				t.Fatalf("%q: got %v", text, err)
			}
			return
		}
		var want request
		if json.Unmarshal(text, &want) == nil {
			got, _ := json.Marshal(r)
			if want, _ := json.Marshal(&want); string(got) != string(want) {
				t.Fatalf("%q: got %s, want %s", text, got, want)
			}
		}
		n, faults := r.Count.Number("count", 1, 9)
		if len(faults) == 0 && (n < 1 || n > 9) {
			t.Fatalf("%q: got %d", text, n)
		}
		if _, err := json.Marshal(r.Count); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
