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
	version1 = 1
	version2 = 2
)

const schemeExact = "exact"

// Headers of the protocol. Version 1 puts its challenge into the body.
const (
	HeaderPaymentV1  = "X-Payment"
	HeaderPaymentV2  = "Payment-Signature"
	HeaderRequired   = "Payment-Required"
	HeaderReceiptV1  = "X-Payment-Response"
	HeaderReceiptV2  = "Payment-Response"
	HeaderSignIn     = "Sign-In-With-X"
	headerExpose     = "Access-Control-Expose-Headers"
	headerCacheCtl   = "Cache-Control"
	headerRetryAfter = "Retry-After"
)

// HeaderBytesMax is the longest payment header that is read. A stock version 2
// client sends about 1 KiB, and several with extensions.
const HeaderBytesMax = 8 << 10

// ExposedHeaders is what a browser's script may read of the answers
// (Access-Control-Expose-Headers).
const ExposedHeaders = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE"

// AllowedRequestHeaders is what a preflight must allow. The stock clients send
// Access-Control-Expose-Headers as a request header, so it is among them.
const AllowedRequestHeaders = "PAYMENT-SIGNATURE, X-PAYMENT, SIGN-IN-WITH-X, Content-Type, Access-Control-Expose-Headers, Authorization"

// ExposeHeaders lets browsers read the protocol's headers. The gate calls it on
// all that it writes. It has no part in preflights: an OPTIONS request must be
// answered by the edge before it reaches the gate, and is never challenged.
func ExposeHeaders(h http.Header) {
	for _, v := range h.Values(headerExpose) {
		if strings.Contains(v, ExposedHeaders) || strings.TrimSpace(v) == "*" {
			return
		}
	}
	h.Add(headerExpose, ExposedHeaders)
}

// errBase64 does without what is wrong where: a header is not written by hand.
var errBase64 = errors.New("want base64")

// decodeBase64 reads the standard or the URL alphabet, padded or not: clients
// differ. Line breaks, which package base64 skips, are refused. It returns a string, since what is read of a payment are
// parts of it: the bytes of one header are then kept once.
func decodeBase64(s string) (string, error) {
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

// encodeHeader returns v as base64 JSON in the standard alphabet with padding,
// which is the only one that stock version 2 clients read.
func encodeHeader(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(raw), nil
}

func decodeHeader(value string, v any) error {
	raw, err := decodeBase64(value)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(raw), v); err != nil {
		return describeJSON(err)
	}
	return nil
}

// describeJSON says where a JSON text is wrong without naming Go types.
func describeJSON(err error) error {
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
