package x402

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// hexValues has the value of each hexadecimal digit, and notHex for other bytes.
var hexValues = func() (values [256]byte) {
	for c := range values {
		switch c := byte(c); {
		case '0' <= c && c <= '9':
			values[c] = c - '0'
		case 'a' <= c && c <= 'f':
			values[c] = c - 'a' + 10
		case 'A' <= c && c <= 'F':
			values[c] = c - 'A' + 10
		default:
			values[c] = notHex
		}
	}
	return values
}()

const notHex = 0xff

// decodeHex fills out from 0x and exactly as many digits as it needs, in upper or lower case.
func decodeHex(out []byte, s string) bool {
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok || len(digits) != 2*len(out) {
		return false
	}
	for i := range out {
		high, low := hexValues[digits[2*i]], hexValues[digits[2*i+1]]
		if high|low > 0xf {
			return false
		}
		out[i] = high<<4 | low
	}
	return true
}

// ParseAddress reads an address, 0x and 40 hexadecimal digits in upper or lower case.
func ParseAddress(s string) (a common.Address, ok bool) {
	ok = decodeHex(a[:], s)
	if !ok {
		return common.Address{}, false
	}
	return a, true
}

// ParseHex reads 0x and an even number of hexadecimal digits.
func ParseHex(s string) ([]byte, bool) {
	raw := make([]byte, hexBytes(s))
	return raw, decodeHex(raw, s)
}

// hexBytes returns the number of bytes in s, assuming 0x and digits.
func hexBytes(s string) int { return max(0, len(s)-len("0x")) / 2 }
