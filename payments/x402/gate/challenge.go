package gate

import (
	"fmt"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// writeChallenge refuses a request and says how it can be paid, in both versions at once. receipt is that of a failed
// settlement, or nil.
func (v *visit) writeChallenge(why *x402.Refusal, receipt *x402.Receipt) error {
	w, reqs := v.w, v.reqs
	v1 := x402.ChallengeV1{X402Version: x402.Version1, Error: why.Code, Message: why.Message, Accepts: []x402.RequirementsV1{}}
	v2 := x402.ChallengeV2{X402Version: x402.Version2, Error: why.Code}
	var err error
	if v2.Extensions, err = v.extensions(); err != nil {
		return err
	}
	for i := range reqs {
		if i == 0 {
			v2.Resource = x402.ResourceV2{URL: reqs[i].Resource, Description: reqs[i].Description, MimeType: reqs[i].MimeType}
		}
		if reqs[i].Network.Name != "" && !v.identifierRequired() {
			terms := reqs[i].V1()
			terms.OutputSchema = v.offer.OutputSchema
			v1.Accepts = append(v1.Accepts, terms)
		}
		v2.Accepts = append(v2.Accepts, reqs[i].V2())
	}
	header, err := v2.Header(v.offer.Bazaar)
	if err != nil {
		return fmt.Errorf("encoding challenge: %w", err)
	}
	w.Header().Set(x402.HeaderRequired, header)
	if why.RetryAfter > 0 {
		seconds := (why.RetryAfter + time.Second - 1) / time.Second
		w.Header().Set(x402.HeaderRetryAfter, strconv.FormatInt(int64(seconds), 10))
	}
	return x402.WriteJSON(w, why.Status(), v1, receipt)
}
