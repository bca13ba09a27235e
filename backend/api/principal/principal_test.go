package principal

import (
	"encoding/json"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// The defaults are closed: a context without a principal is anonymous, and an operation without a setting requires a
// key.
func TestForgottenIsClosed(t *testing.T) {
	t.Parallel()
	if c := From(t.Context()); !c.Anonymous() || c.TeamID != "" {
		t.Errorf("got %+v, want nobody", c)
	}
	if got := AccessOf(&huma.Operation{}); got != Keyed {
		t.Errorf("got %v, want Keyed", got)
	}
	if got := AccessOf(&huma.Operation{Metadata: Public.Metadata()}); got != Public {
		t.Errorf("got %v, want Public", got)
	}
	want := &Caller{Kind: edgewire.PayerTeam, TeamID: "team_1"}
	if got := From(With(t.Context(), want)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPricedIsTheOneOrTheOther(t *testing.T) {
	t.Parallel()
	type page struct {
		HTML string `json:"html"`
	}
	for _, tt := range []struct {
		in   Priced[page]
		want string
	}{
		{Priced[page]{Result: &page{"<p>"}}, `{"html":"\u003cp\u003e"}`},
		{Priced[page]{Quote: &Quote{Object: QuoteObject, Credits: 20, USD: "0.02"}}, `{"object":"quote","credits":20,"usd":0.02}`},
	} {
		// json.Marshal escapes what MarshalJSON leaves plain; Huma's encoder does not.
		if got, err := json.Marshal(tt.in); err != nil || string(got) != tt.want {
			t.Errorf("got %s, %v, want %s", got, err, tt.want)
		}
	}
	if got, err := (Priced[page]{Result: &page{"<p>"}}).MarshalJSON(); err != nil || string(got) != "{\"html\":\"<p>\"}\n" {
		t.Errorf("got %s, %v, want it plain", got, err)
	}
}

// The cost in credits becomes the cost of a request that pays in credits.
func TestSetCredits(t *testing.T) {
	t.Parallel()
	for unit, want := range map[edgewire.Unit]int64{edgewire.UnitCredit: 7, edgewire.UnitUSDC: 9} {
		c := &Caller{Unit: unit}
		c.SetCost(9)
		if c.SetCredits(7); c.Cost() != want {
			t.Errorf("%s: got %d, want %d", unit, c.Cost(), want)
		}
	}
}
