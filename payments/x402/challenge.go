package x402

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// challengeV1 is the body of a 402. Message is our addition: stock clients ignore members that they do not know.
type challengeV1 struct {
	X402Version int              `json:"x402Version"`
	Error       Code             `json:"error"`
	Message     string           `json:"message,omitempty"`
	Accepts     []requirementsV1 `json:"accepts"`
}

// challengeV2 is the content of the PAYMENT-REQUIRED header.
type challengeV2 struct {
	X402Version int              `json:"x402Version"`
	Error       Code             `json:"error,omitempty"`
	Resource    resourceV2       `json:"resource"`
	Accepts     []requirementsV2 `json:"accepts"`
	// Extensions are by name, each {info, schema}: see the version 2 specification, section 5.1.2.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
}

type resourceV2 struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
	MimeType    string `json:"mimeType,omitempty"`
}

// writeChallenge refuses a request and says how it can be paid, in both versions at once. receipt is that of a failed
// settlement, or nil.
func (v *visit) writeChallenge(why *Refusal, receipt *Receipt) error {
	w, reqs := v.w, v.reqs
	v1 := challengeV1{X402Version: version1, Error: why.Code, Message: why.Message, Accepts: []requirementsV1{}}
	v2 := challengeV2{X402Version: version2, Error: why.Code}
	var err error
	if v2.Extensions, err = v.extensions(); err != nil {
		return err
	}
	for i := range reqs {
		if i == 0 {
			v2.Resource = resourceV2{URL: reqs[i].Resource, Description: reqs[i].Description, MimeType: reqs[i].MimeType}
		}
		if reqs[i].Network.Name != "" && !v.identifierRequired() {
			terms := reqs[i].v1()
			terms.OutputSchema = v.offer.OutputSchema
			v1.Accepts = append(v1.Accepts, terms)
		}
		v2.Accepts = append(v2.Accepts, reqs[i].v2())
	}
	header, err := v2.header(v.offer.Bazaar)
	if err != nil {
		return fmt.Errorf("encoding challenge: %w", err)
	}
	w.Header().Set(HeaderRequired, header)
	if why.retryAfter > 0 {
		seconds := (why.retryAfter + time.Second - 1) / time.Second
		w.Header().Set(headerRetryAfter, strconv.FormatInt(int64(seconds), 10))
	}
	return writeJSON(w, why.Status(), v1, receipt)
}

// notice is the gate's response to a payment that it will not charge again. It contains no offer, so that no client pays
// a second time.
type notice struct {
	X402Version int    `json:"x402Version"`
	Error       Code   `json:"error"`
	Message     string `json:"message"`
}

func writeNotice(w http.ResponseWriter, status int, code Code, message string, receipt *Receipt) error {
	if status != http.StatusConflict || code == CodeInProgress {
		w.Header().Set(headerRetryAfter, strconv.Itoa(retryAfterSeconds))
	}
	return writeJSON(w, status, notice{X402Version: version1, Error: code, Message: message}, receipt)
}

// retryAfterSeconds is about the block time of Base.
const retryAfterSeconds = 2

func writeJSON(w http.ResponseWriter, status int, v any, receipt *Receipt) error {
	h := w.Header()
	if receipt != nil {
		if err := receipt.set(h); err != nil {
			return err
		}
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encoding response: %w", err)
	}
	ExposeHeaders(h)
	h.Set(headerCacheCtl, "no-store")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	// An error here means that the client's connection is gone: there is nobody to report it to.
	_, _ = w.Write(body.Bytes())
	return nil
}
