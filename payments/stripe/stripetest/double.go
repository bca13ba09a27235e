package stripetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Config configures a [Double].
type Config struct {
	// SecretKey is the only accepted key. Default: sk_test_double.
	SecretKey string
	// WebhookSecret signs events. Default: whsec_double.
	WebhookSecret string
	// Now is Stripe's clock. Default: time.Now.
	Now func() time.Time
	// Tag is part of every id, so that the ids of several fakes differ.
	Tag string
	// PagesURL is the base address of pages, where POST /_pages/… can be reached. Default: an address of Stripe's.
	PagesURL string
	// APIVersion is the version of the events. Default: 2023-10-16.
	APIVersion string
}

// Double is a Stripe fake. It can be used by several goroutines.
type Double struct {
	cfg Config
	mux *http.ServeMux

	mu        sync.Mutex
	ids       int
	customers map[string]object
	cards     map[string]*card
	intents   map[string]object
	charges   map[string]object
	sessions  map[string]*session
	setups    map[string]object
	disputes  map[string]object
	refunds   map[string]object
	order     []string // all ids, in the order of creation
	keys      map[string]*stored
	tries     map[string]int
	events    []Event
}

// object is a Stripe object, as in JSON.
type object map[string]any

func (o object) str(name string) string {
	s, _ := o[name].(string)
	return s
}

func (o object) num(name string) int64 {
	n, _ := o[name].(int64)
	return n
}

// New returns an empty fake.
func New(cfg Config) *Double {
	for _, d := range []struct {
		field *string
		value string
	}{
		{&cfg.SecretKey, "sk_test_double"},
		{&cfg.WebhookSecret, "whsec_double"},
		{&cfg.PagesURL, "https://checkout.stripe.com/c"},
		{&cfg.APIVersion, "2023-10-16"},
	} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	d := &Double{
		cfg: cfg, mux: http.NewServeMux(),
		customers: map[string]object{}, cards: map[string]*card{}, intents: map[string]object{}, charges: map[string]object{},
		sessions: map[string]*session{}, setups: map[string]object{}, disputes: map[string]object{}, refunds: map[string]object{},
		keys: map[string]*stored{}, tries: map[string]int{},
	}
	d.routes()
	return d
}

func (d *Double) routes() {
	d.route("POST /v1/customers", "metadata email", d.createCustomer)
	d.route("GET /v1/customers/{id}", "", d.getCustomer)
	d.route("POST /v1/customers/{id}", "email invoice_settings", d.updateCustomer)
	d.route("GET /v1/payment_methods", "customer type", d.listCards)
	d.route("GET /v1/payment_methods/{id}", "", d.getCard)
	d.route("POST /v1/payment_methods/{id}/detach", "", d.detachCard)
	d.route("POST /v1/payment_intents", "amount currency customer payment_method confirm off_session description receipt_email metadata", d.createIntent)
	d.route("GET /v1/payment_intents", "customer created", d.listIntents)
	d.route("GET /v1/payment_intents/{id}", "", d.getIntent)
	d.route("POST /v1/payment_intents/{id}/cancel", "", d.cancelIntent)
	d.route("POST /v1/checkout/sessions", "mode customer payment_method_types success_url cancel_url expires_at line_items payment_intent_data metadata", d.createSession)
	d.route("GET /v1/checkout/sessions/{id}", "", d.getSession)
	d.route("POST /v1/checkout/sessions/{id}/expire", "", d.expireSession)
	d.route("GET /v1/setup_intents/{id}", "", d.getSetup)
	d.route("GET /v1/disputes", "payment_intent", d.listDisputes)
	d.route("POST /v1/refunds", "payment_intent amount", d.createRefund)
	d.mux.HandleFunc("GET /_oracle", func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, d.Oracle()) })
	d.mux.HandleFunc("POST /_pages/{id}", d.servePage)
}

// ServeHTTP implements http.Handler.
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// call is one request to the API.
type call struct {
	*http.Request
	form url.Values
	key  string
	try  int // how often this key arrived, from 1
	// hangs and drops say how the response is lost.
	hangs, drops bool
}

func (c *call) expands(name string) bool {
	for field, values := range c.form {
		if strings.HasPrefix(field, "expand") && slices.Contains(values, name) {
			return true
		}
	}
	return false
}

// metadata returns the values of name[…].
func (c *call) metadata(name string) object {
	m := object{}
	for field, values := range c.form {
		if key, ok := strings.CutPrefix(field, name+"["); ok {
			m[strings.TrimSuffix(key, "]")] = values[0]
		}
	}
	return m
}

// stored is a response stored under an idempotency key.
type stored struct {
	params string
	status int
	body   []byte
	at     time.Time
}

// KeysKept is how long idempotency keys are kept.
const KeysKept = 24 * time.Hour

// route serves one method of the API. Unknown parameters are refused, as Stripe does.
func (d *Double) route(pattern, allowed string, serve func(*call) (int, any)) {
	names := strings.Fields(allowed + " expand limit starting_after")
	d.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, key: r.Header.Get("Idempotency-Key")}
		status, body, replayed := d.answer(c, names, serve)
		switch {
		case c.hangs:
			hang(r)
		case c.drops:
			panic(http.ErrAbortHandler)
		}
		if replayed {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Request-Id", "req_double")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}

func (d *Double) answer(c *call, names []string, serve func(*call) (int, any)) (status int, body []byte, replayed bool) {
	encode := func(status int, v any) (int, []byte, bool) {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return status, b, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.Header.Get("Authorization") != "Bearer "+d.cfg.SecretKey {
		return encode(failure(http.StatusUnauthorized, "invalid_request_error", "", "Invalid API Key provided"))
	}
	if err := c.ParseForm(); err != nil {
		return encode(invalid("", "unreadable parameters"))
	}
	c.form = c.Form
	for name := range c.form {
		if root, _, _ := strings.Cut(name, "["); !slices.Contains(names, root) {
			return encode(invalid("parameter_unknown", "Received unknown parameter: "+root))
		}
	}
	if c.Method != http.MethodPost || c.key == "" {
		return encode(serve(c))
	}
	params := c.URL.Path + "?" + c.form.Encode()
	if kept := d.keys[c.key]; kept != nil && d.cfg.Now().Sub(kept.at) < KeysKept {
		if kept.params != params {
			return encode(failure(http.StatusBadRequest, "idempotency_error", "",
				"Keys for idempotent requests can only be used with the same parameters they were first used with."))
		}
		return kept.status, kept.body, true
	}
	d.tries[c.key]++
	c.try = d.tries[c.key]
	status, body, _ = encode(serve(c))
	if begun(status, body) {
		d.keys[c.key] = &stored{params: params, status: status, body: body, at: d.cfg.Now()}
	}
	return status, body, false
}

// begun reports whether a request was executed, so that its response is stored. Requests that are refused before
// execution are not.
func begun(status int, body []byte) bool {
	switch status {
	case statusNotTaken, http.StatusConflict, http.StatusTooManyRequests, http.StatusUnauthorized, http.StatusServiceUnavailable:
		return false
	case http.StatusBadRequest, http.StatusNotFound:
		return !strings.Contains(string(body), "invalid_request_error")
	}
	return true
}

// statusNotTaken is the status of a request that never arrived.
const statusNotTaken = 0

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func failure(status int, kind, code, message string) (int, any) {
	e := object{"type": kind, "message": message}
	if code != "" {
		e["code"] = code
	}
	return status, object{"error": e}
}

func invalid(code, message string) (int, any) {
	return failure(http.StatusBadRequest, "invalid_request_error", code, message)
}

func missing(what, id string) (int, any) {
	return failure(http.StatusNotFound, "invalid_request_error", "resource_missing", fmt.Sprintf("No such %s: '%s'", what, id))
}

// id makes a new id and appends it to the order.
func (d *Double) id(prefix string) string {
	d.ids++
	id := fmt.Sprintf("%s_%s%06d", prefix, d.cfg.Tag, d.ids)
	d.order = append(d.order, id)
	return id
}

func (d *Double) now() int64 { return d.cfg.Now().Unix() }

// list responds with a page of the objects for which keep is true, the newest first.
func (d *Double) list(c *call, of map[string]object, keep func(object) bool) (int, any) {
	limit := 10
	if text := c.form.Get("limit"); text != "" {
		if _, err := fmt.Sscanf(text, "%d", &limit); err != nil || limit < 1 || limit > 100 {
			return invalid("parameter_invalid_integer", "Invalid limit")
		}
	}
	data, more, started := []object{}, false, c.form.Get("starting_after") == ""
	for _, id := range slices.Backward(d.order) {
		o, ok := of[id]
		if !ok || !keep(o) {
			continue
		}
		if !started {
			started = id == c.form.Get("starting_after")
			continue
		}
		if len(data) == limit {
			more = true
			break
		}
		data = append(data, maps.Clone(o))
	}
	return http.StatusOK, object{"object": "list", "data": data, "has_more": more, "url": c.URL.Path}
}
