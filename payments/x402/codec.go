package x402

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Protocol versions.
const (
	Version1 = 1
	Version2 = 2
)

// SchemeExact is the scheme in which a payment is exactly the price.
const SchemeExact = "exact"

// Headers of the protocol. Version 1 puts its challenge into the body.
const (
	HeaderPaymentV1    = "X-Payment"
	HeaderPaymentV2    = "Payment-Signature"
	HeaderRequired     = "Payment-Required"
	HeaderReceiptV1    = "X-Payment-Response"
	HeaderReceiptV2    = "Payment-Response"
	HeaderSignIn       = "Sign-In-With-X"
	headerExpose       = "Access-Control-Expose-Headers"
	HeaderCacheControl = "Cache-Control"
	HeaderRetryAfter   = "Retry-After"
)

// HeaderBytesMax is the longest payment header that is read. A stock version 2 client sends about 1 KiB, and several KiB
// with extensions.
const HeaderBytesMax = 8 << 10

// ExposedHeaders are the response headers that a browser's script may read (Access-Control-Expose-Headers).
const ExposedHeaders = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE"

// AllowedRequestHeaders are what a preflight must allow. Access-Control-Expose-Headers is among them, because the stock
// clients send it as a request header.
const AllowedRequestHeaders = "PAYMENT-SIGNATURE, X-PAYMENT, SIGN-IN-WITH-X, Content-Type, Access-Control-Expose-Headers, Authorization"

// ExposeHeaders lets browsers read the protocol's headers. The gate calls it on every response that it writes. It has no
// part in preflights: the edge must answer an OPTIONS request before it reaches the gate, and it is never challenged.
func ExposeHeaders(h http.Header) {
	for _, v := range h.Values(headerExpose) {
		if strings.Contains(v, ExposedHeaders) || strings.TrimSpace(v) == "*" {
			return
		}
	}
	h.Add(headerExpose, ExposedHeaders)
}

// errBase64 does not say which byte is wrong: nobody writes such a header by hand.
var errBase64 = errors.New("want base64")

// DecodeBase64 reads the standard or the URL alphabet, padded or not, because clients differ. Line breaks, which package
// base64 skips, are refused. It returns a string, because the fields of a payment are substrings of it: the bytes of a
// header are then stored once.
func DecodeBase64(s string) (string, error) {
	s = strings.TrimRight(s, "=")
	encoding := base64.RawStdEncoding
	if strings.IndexByte(s, '-') >= 0 || strings.IndexByte(s, '_') >= 0 {
		encoding = base64.RawURLEncoding
	}
	const usual = 1024
	var room [usual]byte
	raw, err := encoding.AppendDecode(room[:0], []byte(s))
	if err != nil || encoding.EncodedLen(len(raw)) != len(s) {
		return "", errBase64
	}
	return string(raw), nil
}

// EncodeHeader returns v as base64 JSON in the standard alphabet with padding, the only form that stock version 2 clients read.
func EncodeHeader(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(raw), nil
}

// DecodeHeader reads a header that is base64 JSON into v.
func DecodeHeader(value string, v any) error {
	raw, err := DecodeBase64(value)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(raw), v); err != nil {
		return DescribeJSON(err)
	}
	return nil
}

// DescribeJSON says where a JSON text is wrong without naming Go types.
func DescribeJSON(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("want base64 of a JSON object: byte %d is not valid JSON", syntax.Offset)
	}
	if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if typ.Field == "" {
			return fmt.Errorf("want a JSON object, got a %s", typ.Value)
		}
		return fmt.Errorf("member %s has the wrong type: %s", typ.Field, typ.Value)
	}
	return err
}
