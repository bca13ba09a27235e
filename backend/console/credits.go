package console

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/turnpike-edge/turnpike/payments/token"
)

// packAmounts are the amounts for sale (service contract, "Credits and prices"), used if the price list cannot be read.
func packAmounts() []int64 { return []int64{10_000, 20_000, 80_000, 100_000} }

type creditsPage struct {
	Balance    panel[balance]
	Packs      []pack
	ByEndpoint panel[usage]
	ByKey      panel[usage]
}

func (c *Console) credits(v *visit) error {
	page := &creditsPage{}
	var prices panel[pricing]
	p := &panels{v: v}
	read(p, &page.Balance, "/user/credits/info", nil)
	read(p, &prices, "/pricing", nil)
	read(p, &page.ByEndpoint, "/user/usage", url.Values{"group_by": {"endpoint"}})
	read(p, &page.ByKey, "/user/usage", url.Values{"group_by": {"key"}})
	if err := p.wait(); err != nil {
		return err
	}
	page.Packs = packsOf(&prices)
	return v.show("credits", "Credits", page)
}

func packsOf(prices *panel[pricing]) []pack {
	if len(prices.Value.Packs) > 0 {
		return prices.Value.Packs
	}
	var packs []pack
	for _, credits := range packAmounts() {
		packs = append(packs, pack{Credits: credits})
	}
	return packs
}

// purchasePage is a purchase before it is made, or its outcome.
type purchasePage struct {
	Pack    pack
	Once    string // makes repeated submissions of the form one purchase
	Bought  int64
	Pending bool
	Fault   *faultPage
	// Again reports that the outcome is unknown, and that submitting the same form again finds it out.
	Again    bool
	SetupURL string // where to save a card
	PayURL   string // where the cardholder can confirm
	NoCard   bool
}

// confirmTopUp shows the purchase. Its form has a new Idempotency-Key, so submitting it twice buys once.
func (c *Console) confirmTopUp(v *visit) error {
	var prices panel[pricing]
	p := &panels{v: v}
	read(p, &prices, "/pricing", nil)
	if err := p.wait(); err != nil {
		return err
	}
	chosen, ok := packOf(packsOf(&prices), v.r.URL.Query().Get("credits"))
	if !ok {
		return v.to(Path + "/credits")
	}
	return v.show("topup", "Confirm purchase", &purchasePage{Pack: chosen, Once: onceToken()})
}

func packOf(packs []pack, text string) (pack, bool) {
	credits, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return pack{}, false
	}
	at := slices.IndexFunc(packs, func(p pack) bool { return p.Credits == credits })
	if at < 0 {
		return pack{}, false
	}
	return packs[at], true
}

func (c *Console) topUp(v *visit) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	once := form.Get("once")
	credits, err := strconv.ParseInt(form.Get("credits"), 10, 64)
	if err != nil || !isOnce(once) {
		return errForm
	}
	page := &purchasePage{Pack: pack{Credits: credits}, Once: once}
	var made purchase
	status, err := v.call(call{method: http.MethodPost, path: "/user/purchase-topup", once: once, body: map[string]int64{"credits": credits}}, &made)
	no, refused := errors.AsType[*Refusal](err)
	switch {
	case err == nil:
		page.Bought, page.Pending = made.Credits, !made.Success
		return v.show("bought", boughtTitle(page), page)
	case refused && no.Status == http.StatusUnauthorized:
		return err
	case refused && (no.Status < http.StatusInternalServerError || no.Status == http.StatusNotImplemented || no.Status == http.StatusServiceUnavailable):
		page.Fault = refusalPage(no)
		page.refused(no)
	default: // the charge may have been made: submitting the same form again finds that out
		page.Fault, page.Again = faultOf(err), true
		page.Fault.Title, page.Fault.Advice = "The outcome of the purchase is not known", ""
		status = page.Fault.Status
	}
	v.showStatus(status, "bought", page.Fault.Title, page)
	return nil
}

func boughtTitle(p *purchasePage) string {
	if p.Pending {
		return "Purchase in progress"
	}
	return "Purchase complete"
}

// refused explains a refused purchase and what to do next.
func (p *purchasePage) refused(no *Refusal) {
	p.Fault.Link, p.Fault.LinkText = "", ""
	switch no.Code {
	case "no_payment_method":
		p.Fault.Title, p.NoCard, p.SetupURL = "No card is saved", true, no.link("setup_url")
		p.Fault.Text, p.Fault.Advice = "Nothing was charged. Save a card first. After that, each purchase takes one step.", ""
	case "card_declined":
		p.Fault.Title, p.Fault.Advice = "The card was declined", "Try again, or save another card."
		p.NoCard = true
	case "authentication_required":
		p.Fault.Title, p.PayURL = "Your bank requires confirmation", no.link("action_url")
		p.Fault.Advice = ""
	case "provider_not_configured":
		p.Fault.Title = "Credits cannot be bought here" // the text says what can be done
	case "topup_in_progress", "idempotency_key_in_progress":
		p.Fault.Title, p.Again = "A purchase is still in progress", true
		p.Fault.Advice = "Wait a moment, then retry. You are never charged twice."
	case "rate_limit_exceeded":
		p.Fault.Title, p.Again = "Too many purchase attempts", true
		p.Fault.Advice = "Nothing was charged. Wait " + waitWords(no.RetryAfter) + ", then try again."
	}
}

// saveCard gets a page of the payment provider. It shows a link instead of a redirect, because the
// Content-Security-Policy of these pages lets forms lead nowhere else.
func (c *Console) saveCard(v *visit) error {
	if _, err := v.form(); err != nil {
		return err
	}
	var page struct {
		URL string `json:"url"`
	}
	if _, err := v.call(call{method: http.MethodPost, path: "/user/payment-method"}, &page); err != nil {
		return err
	}
	if webAddress(page.URL) == "" {
		return errNoAnswer
	}
	return v.show("card", "Save a card", &purchasePage{SetupURL: page.URL})
}

// onceToken is the Idempotency-Key of a form.
func onceToken() string { return "console-" + token.Random() }

var oncePattern = regexp.MustCompile(`^console-[A-Za-z0-9_-]{16,64}$`)

func isOnce(text string) bool { return oncePattern.MatchString(text) }
