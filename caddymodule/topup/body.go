package topup

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// readPurchase reads the body of a purchase: {"credits": 10000}, and nothing else. It does not check whether that
// amount is offered.
func readPurchase(r *http.Request) ([]byte, money.Credits, error) {
	body, err := price.ReadJSON(r, bodyBytesMax)
	if err != nil {
		return nil, 0, err
	}
	credits, err := parsePurchase(body)
	return body, credits, err
}

func parsePurchase(body []byte) (money.Credits, error) {
	fields, err := parseFields(body, "credits")
	if err != nil {
		return 0, err
	}
	raw, isThere := fields["credits"]
	if !isThere {
		return 0, &price.RequestError{Loc: []any{"body", "credits"}, Missing: true, Reason: "is required"}
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || string(raw) == "-0" {
		return 0, &price.RequestError{Loc: []any{"body", "credits"}, Reason: "must be an integer"}
	}
	return money.Credits(n), nil
}

// emailBytesMax is the longest path of a mail address, in bytes (RFC 5321, section 4.5.3.1.3).
const emailBytesMax = 254

// readEmail reads the body of a request for a page that saves a card: nothing, or {"email": "…"}.
func readEmail(r *http.Request) (string, error) {
	body, err := price.ReadBody(r, bodyBytesMax)
	if err != nil || len(body) == 0 {
		return "", err
	}
	if body, err = price.ReadJSON(r, bodyBytesMax); err != nil {
		return "", err
	}
	return parseEmail(body)
}

func parseEmail(body []byte) (string, error) {
	fields, err := parseFields(body, "email")
	if err != nil {
		return "", err
	}
	raw, isThere := fields["email"]
	if !isThere {
		return "", nil
	}
	fault := &price.RequestError{Loc: []any{"body", "email"}, Reason: "must be an email address such as billing@example.com"}
	var email string
	if raw[0] != '"' || json.Unmarshal(raw, &email) != nil || len(email) > emailBytesMax {
		return "", fault
	}
	// The parser also accepts "Name <address>", so the result must equal the input.
	if address, err := mail.ParseAddress(email); err != nil || address.Address != email {
		return "", fault
	}
	return email, nil
}

// parseFields splits a JSON object with known keys into its raw values. Duplicate keys, in any case, were refused before.
func parseFields(body []byte, known ...string) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, &price.RequestError{Loc: []any{"body"}, Reason: "must be an object"}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			return nil, &price.RequestError{
				Loc: []any{"body", name}, Reason: "is not a field of this request; it accepts " + strings.Join(known, ", "),
			}
		}
	}
	return fields, nil
}
