package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/reference"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

const (
	// BodyBytesMax is the largest request body in bytes (413 beyond) of an operation without [principal.BodyMax].
	BodyBytesMax = 1 << 20

	headerBytesMax    = 16 << 10
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = 2 * time.Minute
	readyTimeout      = 3 * time.Second

	// BodyTimeoutDefault is how long a request body may take to arrive.
	BodyTimeoutDefault = 30 * time.Second
)

// Feature is a package of backend/ that has routes. It may be a [Quoter], too.
type Feature interface {
	// Register adds the feature's operations.
	Register(api huma.API)
}

// Wallets finds the team of a wallet, and creates it on first use.
type Wallets interface {
	EnsureWallet(ctx context.Context, network, address string) (teamID string, err error)
}

// Check is one condition for the service to be ready.
type Check struct {
	Name string
	// Func returns what is wrong; the text is only logged.
	Func func(ctx context.Context) error
}

// Config configures a [Server].
type Config struct {
	// PublicURL is where clients reach the service, through the edge: "https://api.example.com". Required.
	PublicURL string `required:"true"`
	// DocsURL is where error types are documented. Default: PublicURL + "/docs".
	DocsURL string
	// Version is shown in the OpenAPI document. Default "dev".
	Version string

	// Verifier checks the edge's identities. Required.
	Verifier *edgewire.Verifier `required:"true"`
	// Wallets resolves wallets. Required.
	Wallets Wallets `required:"true"`
	// Idempotency stores the responses of requests with an Idempotency-Key. Required.
	Idempotency *idempotency.Store `required:"true"`
	// Book prices every operation and is published to the edges. Required; see package pricebook.
	Book *price.Book `required:"true"`
	// Packs are the top-up packs that /pricing shows. Default [DefaultPacks].
	Packs []Pack

	// BodyTimeout is how long a request body may take to arrive. Default [BodyTimeoutDefault].
	BodyTimeout time.Duration
	// LargeBodies is the room for bodies above [BodyBytesMax], in bytes. Default: [LargeBodiesDefault],
	// without waiting.
	LargeBodies *admission.Pool
	// LongWork waits for a slot to work on such a body, and returns a function that releases it. The error is the
	// context's. Default: no waiting.
	LongWork func(ctx context.Context) (release func(), err error)

	// Features are mounted in order. At least one is required.
	Features []Feature `required:"true"`
	// Content serves signed content URLs. Required. It is a function of the server so that it can report errors with
	// [Server.ContentFailed].
	Content func(*Server) http.Handler `required:"true"`
	// Pages are handlers for people, beside the API, by path; a path that ends with a slash covers all paths below.
	// Scripts of other origins have no access.
	Pages map[string]http.Handler
	// Ready are the checks of /readyz.
	Ready []Check

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

func (c *Config) withDefaults() {
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	if c.DocsURL == "" {
		c.DocsURL = c.PublicURL + "/docs"
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.BodyTimeout == 0 {
		c.BodyTimeout = BodyTimeoutDefault
	}
	if c.LargeBodies == nil {
		c.LargeBodies = admission.New(admission.Config{Size: LargeBodiesDefault})
	}
	if c.LongWork == nil {
		c.LongWork = func(context.Context) (func(), error) { return func() {}, nil }
	}
	if c.Packs == nil {
		c.Packs = DefaultPacks()
	}
}

func (c *Config) validate() error {
	errs := []error{required.Fields(*c)}
	if c.BodyTimeout < 0 {
		errs = append(errs, errors.New("BodyTimeout must not be negative"))
	}
	return errors.Join(errs...)
}

// Server is the service as an http.Handler.
type Server struct {
	config  Config
	mux     *http.ServeMux
	adapter *adapter
	api     huma.API
	handler http.Handler
	openapi []byte
	docs    *reference.Page
}

// New assembles the service. The error names all faults of config.
func New(config Config) (*Server, error) {
	config.withDefaults()
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("http api: %w", err)
	}
	setUpHuma()
	s := &Server{config: config, mux: http.NewServeMux()}
	s.api = s.newAPI()
	for _, feature := range config.Features {
		s.adapter.feature = feature
		feature.Register(s.api)
	}
	s.adapter.feature = nil
	if err := s.registerReads(); err != nil {
		return nil, fmt.Errorf("http api: %w", err)
	}
	s.registerPricing()
	if err := s.mountPages(); err != nil {
		return nil, fmt.Errorf("http api: %w", err)
	}
	s.handler = s.identify(s.log(s.guard(s.cors(s.route()))))
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// OpenAPI returns the OpenAPI 3.1 document as it is served.
func (s *Server) OpenAPI() []byte { return s.openapi }

// HTTPServer returns an http.Server for s with the limits of a service behind an edge. It has no write timeout, because
// each operation has its own limit.
func (s *Server) HTTPServer(addr string) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           s,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerBytesMax,
		ErrorLog:          slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelWarn),
	}
}

func (s *Server) newAPI() huma.API {
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: decode.Unmarshal}
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "Turnpike web data API",
				Version:     s.config.Version,
				Description: apiDescription,
				License:     &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: s.config.PublicURL}},
			Components: &huma.Components{
				Schemas:         huma.NewMapRegistry("#/components/schemas/", schemaName),
				SecuritySchemes: securitySchemes(),
			},
		},
		Formats:       map[string]huma.Format{"application/json": format, "json": format},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{s.transformError},
	}
	s.adapter = &adapter{mux: s.mux, owners: map[string]Feature{}, forms: map[string]principal.ErrorForm{}}
	api := huma.NewAPI(config, s.adapter)
	api.UseMiddleware(s.authenticate, s.readBody, s.once, s.charge)
	return api
}

func securitySchemes() map[string]*huma.SecurityScheme {
	return map[string]*huma.SecurityScheme{
		schemeKey: {Type: "http", Scheme: "bearer", Description: "A subscriber's API key."},
		schemePayment: {
			Type: "apiKey", In: "header", Name: x402.HeaderPaymentV2,
			Description: "An x402 payment, version 2. A request without it returns a 402 with the terms.",
		},
		schemePaymentV1: {
			Type: "apiKey", In: "header", Name: x402.HeaderPaymentV1,
			Description: "An x402 payment, version 1.",
		},
	}
}

const (
	schemeKey       = "key"
	schemePayment   = "payment"
	schemePaymentV1 = "paymentV1"

	apiDescription = "Web pages as data, paid per request: by subscribers with an API key and prepaid credits, " +
		"or by anyone with a wallet through x402, without sign-up."
)

// security is the OpenAPI form of an operation's access.
func security(access principal.Access) []map[string][]string {
	switch access {
	case principal.Public:
		return []map[string][]string{}
	case principal.Readable:
		return []map[string][]string{{schemeKey: {}}, {}}
	case principal.Keyed:
	}
	return []map[string][]string{{schemeKey: {}}}
}
