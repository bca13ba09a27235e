package x402test

import (
	"io"
	"net/http"

	"github.com/ethereum/go-ethereum/common"
)

// PayTo is the recipient in payments that nobody settles.
var PayTo = common.HexToAddress("0x209693Bc6afc0C5328bA36FaF03C514EF312287C")

// SampleHash is the hash of no transaction.
const SampleHash = "0x1111111111111111111111111111111111111111111111111111111111111111"

// Saying is a facilitator that gives the same answer to everything.
func Saying(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// Dropping drops every connection.
func Dropping(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
