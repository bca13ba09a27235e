package request

import (
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// AccessVar is the request variable in which api_key stores the access.
const AccessVar = "turnpike.access"

// Access is what api_key knows about a request.
type Access struct {
	Principal *apikey.Principal // nil without a key
	Anonymous bool              // a read without a key, which the operator allows
	Public    bool              // a path that the operator excludes from metering
	Held      bool              // meter holds credits for the request, or it is free for its key
}

// AccessOf returns the access of a request, nil without api_key.
func AccessOf(r *http.Request) *Access {
	a, _ := caddyhttp.GetVar(r.Context(), AccessVar).(*Access)
	return a
}

// TeamPayer returns the team of a key as the payer.
func TeamPayer(p *apikey.Principal) edgewire.Payer {
	return edgewire.Payer{Kind: edgewire.PayerTeam, TeamID: p.TeamID, KeyID: p.KeyID}
}

// AnonymousPayer is the payer of a request without a key.
var AnonymousPayer = edgewire.Payer{Kind: edgewire.PayerAnonymous}
