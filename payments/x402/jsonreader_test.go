package x402

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// TestJSONMembers shows that each object's list of member names matches its fields.
func TestJSONMembers(t *testing.T) {
	t.Parallel()
	for _, object := range []jsonObject{
		&WireAuthorization{}, &Payload{}, &PaymentV1{}, &PaymentV2{}, &RequirementsV2{}, &tokenDomain{},
	} {
		typ := reflect.TypeOf(object).Elem()
		if got, want := len(object.names()), typ.NumField(); got != want {
			t.Errorf("%s: got %d names, want %d", typ, got, want)
		}
		for i, name := range object.names() {
			tag, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name != tag {
				t.Errorf("%s: got name %q, want %q", typ, name, tag)
			}
			target := reflect.ValueOf(object.member(name))
			if target.Pointer() != reflect.ValueOf(object).Elem().Field(i).Addr().Pointer() {
				t.Errorf("%s: member %q goes elsewhere", typ, name)
			}
		}
		if object.member("other") != nil {
			t.Errorf("%s reads a member that it does not have", typ)
		}
	}
}

func TestFaultyJSON(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"empty":                {``, `want base64 of a JSON object: byte 1 is not valid JSON`},
		"cut":                  {`{"x402Version":1`, `want base64 of a JSON object: byte 17 is not valid JSON`},
		"trailing":             {`{} {}`, `want base64 of a JSON object: byte 4 is not valid JSON`},
		"a list":               {`[1]`, `want a JSON object, got a array`},
		"a string":             {`"x"`, `want a JSON object, got a string`},
		"type":                 {`{"scheme":1.50}`, `member scheme has the wrong type: number 1.50`},
		"nested type":          {`{"payload":{"authorization":{"value":{}}}}`, `member payload.authorization.value has the wrong type: object`},
		"fraction":             {`{"x402Version":1.0}`, `member x402Version has the wrong type: number 1.0`},
		"too large":            {`{"x402Version":99999999999999999999}`, `member x402Version has the wrong type: number 99999999999999999999`},
		"twice":                {`{"scheme":"exact","scheme":"exact"}`, `member scheme appears more than once`},
		"twice by escape":      {`{"scheme":"exact","\u0073cheme":"exact"}`, `member scheme appears more than once`},
		"twice, nested":        {`{"payload":{"signature":"0x","signature":"0x"}}`, `member payload.signature appears more than once`},
		"twice, not ours":      {`{"more":{"a":[{"b":1,"b":1}]}}`, `member more.a.b appears more than once`},
		"other case":           {`{"Scheme":"exact"}`, `member Scheme is misspelled: want scheme`},
		"other case, nested":   {`{"payload":{"authorization":{"FROM":""}}}`, `member payload.authorization.FROM is misspelled: want from`},
		"not Unicode":          {"{\"scheme\":\"\xff\"}", `want base64 of a JSON object: byte 12 is not valid JSON`},
		"half a pair":          {`{"scheme":"\ud800"}`, `want base64 of a JSON object: byte 18 is not valid JSON`},
		"leading zero":         {`{"x402Version":01}`, `want base64 of a JSON object: byte 17 is not valid JSON`},
		"a line in a string":   {"{\"scheme\":\"a\nb\"}", `want base64 of a JSON object: byte 13 is not valid JSON`},
		"deeper than anything": {`{"more":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, `want base64 of a JSON object: byte 72 is not valid JSON`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fault := readJSON(tt.text, &PaymentV1{})
			if fault == nil || fault.Error() != tt.want {
				t.Errorf("got %v, want %s", fault, tt.want)
			}
		})
	}
}

// TestManyMembers tests the look-up of names in a long object.
func TestManyMembers(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(`{"scheme":"exact"`)
	for i := range 300 {
		text.WriteString(`,"` + strings.Repeat("x", i+1) + `":0`)
	}
	var p PaymentV1
	if fault := readJSON(text.String()+"}", &p); fault != nil || p.Scheme != "exact" {
		t.Errorf("got %v and %q, want exact", fault, p.Scheme)
	}
	for _, again := range []string{"scheme", "x", strings.Repeat("x", 300)} {
		fault := readJSON(text.String()+`,"`+again+`":0}`, &PaymentV1{})
		if fault == nil || !strings.HasSuffix(fault.Error(), "appears more than once") {
			t.Errorf("%s again: got %v, want that it appears more than once", Clip(again), fault)
		}
	}
}

// FuzzReadJSON compares the reader with encoding/json: both read the same payment from a text, or both refuse it.
func FuzzReadJSON(f *testing.F) {
	req := Requirements{Network: BaseSepolia(), Amount: 10_000, MaxTimeout: 70 * time.Second}
	a := Authorization{Value: req.Amount, ValidAfter: big.NewInt(1_790_000_000), ValidBefore: big.NewInt(1_790_000_070)}
	payload, accepted := Payload{Signature: hexutil.Encode(make([]byte, SignatureBytes)), Authorization: a.Wire()}, req.V2()
	for version, payment := range map[int]any{
		Version1: PaymentV1{X402Version: Version1, Scheme: SchemeExact, Network: req.Network.Name, Payload: &payload},
		Version2: PaymentV2{X402Version: Version2, Accepted: &accepted, Payload: &payload},
	} {
		raw, err := json.Marshal(payment)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(version, raw)
	}
	for _, text := range []string{
		`null`, `{}`, ` { "x402Version" : 1 } `, `{"x402Version":-0}`, `{"x402Version":1e0}`, `{"a":[1,-2.5e+7,true,false,null,"\u00e9\n"]}`,
		`{"accepted":{"extra":{"name":"USDC"},"maxTimeoutSeconds":60},"extensions":{"a":null,"b":{"c":1}}}`,
		`{"payload":{"authorization":null}}`, `{"scheme":"\ud83d\ude00"}`, `{"ſcheme":"exact"}`, `{"extensions":{"a":1,"a":2}}`,
	} {
		f.Add(Version1, []byte(text))
		f.Add(Version2, []byte(text))
	}
	f.Fuzz(func(t *testing.T, version int, raw []byte) {
		object := func() jsonObject {
			if version == Version1 {
				return &PaymentV1{}
			}
			return &PaymentV2{}
		}
		want := object()
		err := errors.Join(json.Unmarshal(raw, want), ambiguity(raw, want))
		for range 2 { // both readings must agree with it
			got := object()
			fault := readJSON(string(raw), got)
			if (fault == nil) != (err == nil) {
				t.Fatalf("got %v, want as encoding/json: %v", fault, err)
			}
			if fault == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

// ambiguity returns an error for texts that encoding/json accepts and we do not.
func ambiguity(raw []byte, into jsonObject) error {
	if !utf8.Valid(raw) {
		return errors.New("not Unicode")
	}
	if halfPair(string(raw)) {
		return errors.New("half a surrogate pair")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return walk(d, into, 0)
}

// halfPair reports whether the escapes of a text contain half a surrogate pair.
func halfPair(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		first, ok := escaped(text, i-1)
		if !ok || !utf16.IsSurrogate(first) {
			continue
		}
		second, ok := escaped(text, i+5)
		if !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		i += 10
	}
	return false
}

func escaped(text string, at int) (rune, bool) {
	if len(text) < at+6 || text[at:at+2] != `\u` {
		return 0, false
	}
	var out [2]byte
	ok := decodeHex(out[:], "0x"+text[at+2:at+6])
	return rune(out[0])<<8 | rune(out[1]), ok
}

// walk looks for members that are duplicate, or that differ from into's names only in case.
func walk(d *json.Decoder, into jsonObject, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	if depth == jsonDepthMax {
		return errors.New("too deep")
	}
	seen := map[string]bool{}
	for d.More() {
		var next jsonObject
		if delim == '{' {
			token, err := d.Token()
			if err != nil {
				return err
			}
			name, ok := token.(string)
			if !ok || seen[name] {
				return errors.New("there twice: " + name)
			}
			seen[name] = true
			if next, err = inner(into, name); err != nil {
				return err
			}
		}
		if err := walk(d, next, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// Inner returns the object that a member is read into, or nil if it is not an object.
func inner(into jsonObject, name string) (jsonObject, error) {
	if into == nil {
		return nil, nil
	}
	switch into.member(name).(type) {
	case **Payload:
		return &Payload{}, nil
	case **WireAuthorization:
		return &WireAuthorization{}, nil
	case **RequirementsV2:
		return &RequirementsV2{}, nil
	case nil:
		for _, known := range into.names() {
			if strings.EqualFold(known, name) {
				return nil, errors.New("in another case: " + name)
			}
		}
	}
	return nil, nil
}

// FuzzDecodeBase64 compares our decoder for both alphabets with encoding/base64.
func FuzzDecodeBase64(f *testing.F) {
	for _, text := range []string{"", "eyJ9", "eyJ9==", "-_8", "+/8=", "+_8", "ey\nJ9", "a", "A==="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := DecodeBase64(text)
		bare := strings.TrimRight(text, "=")
		want, stdErr := base64.RawStdEncoding.DecodeString(bare)
		if url, urlErr := base64.RawURLEncoding.DecodeString(bare); urlErr == nil && stdErr != nil {
			want, stdErr = url, nil
		}
		if strings.ContainsAny(bare, "\r\n") {
			stdErr = io.ErrUnexpectedEOF
		}
		if (err == nil) != (stdErr == nil) || err == nil && got != string(want) {
			t.Errorf("got %q, %v, want %q, %v", got, err, want, stdErr)
		}
	})
}
