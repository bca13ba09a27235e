package app

import (
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	_ "gocloud.dev/blob/s3blob" // content in a bucket: TURNPIKE_BLOB_URL=s3://…

	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Role is which part of the backend a process runs.
type Role string

const (
	RoleAll    Role = "all"
	RoleAPI    Role = "api"
	RoleWorker Role = "worker"
)

// Serves reports whether the process serves requests.
func (r Role) Serves() bool { return r != RoleWorker }

// works reports whether the process runs background jobs.
func (r Role) works() bool { return r != RoleAPI }

// Config is the backend's configuration.
type Config struct {
	DatabaseURL    string
	DirectURL      string // the database itself, if databaseURL leads to a pooler
	BlobURL        string
	PublicURL      string
	DocsURL        string
	IdentitySecret []byte
	IdentityBefore [][]byte // previous secrets that are still accepted
	Audience       string
	ContentSecret  []byte
	WebhookSecret  []byte
	APIURL         string // how the console reaches the edge; "": at publicURL
	Role           Role
	Fetch          fetch.Config
	HostLimits     HostLimitsConfig
	Rendering      RenderingConfig
	ScrapePlaces   int // 0: the default
	Jobs           JobsConfig
	Notifying      NotifyingConfig
	Heartbeat      time.Duration // the time between comments in streams; 0: the default
	ReconcileEvery time.Duration // 0: never
	ModelPlans     int           // unpaid model plans per team and day for monitors; 0: the default
	SearchShared   bool
	Model          llm.Client // nil: none
	Extracting     extraction.Limits
	Searching      websearch.Config
	Logger         *slog.Logger
}

// identityPreviousName is the variable with the previous secret, with which edges may still sign.
const identityPreviousName = "TURNPIKE_IDENTITY_SECRET_PREVIOUS"

func (c *Config) secretsFromEnv() error {
	var faults []error
	read := func(name string) []byte {
		secret, err := secretFromEnv(name)
		faults = append(faults, err)
		return secret
	}
	c.IdentitySecret = read("TURNPIKE_IDENTITY_SECRET")
	if os.Getenv(identityPreviousName) != "" {
		c.IdentityBefore = [][]byte{read(identityPreviousName)}
	}
	c.ContentSecret = read("TURNPIKE_CONTENT_SECRET")
	if c.WebhookSecret = c.ContentSecret; os.Getenv(webhookSecretName) != "" {
		c.WebhookSecret = read(webhookSecretName)
	}
	return errors.Join(faults...)
}

// FromEnv reads the configuration from the environment. The error names every variable that is missing or wrong.
func FromEnv() (Config, error) {
	cfg := Config{
		Role:      RoleAll,
		BlobURL:   os.Getenv("TURNPIKE_BLOB_URL"),
		PublicURL: os.Getenv("TURNPIKE_BASE_URL"),
		DocsURL:   os.Getenv("TURNPIKE_DOCS_URL"),
		APIURL:    os.Getenv("TURNPIKE_API_URL"),
		Audience:  os.Getenv("TURNPIKE_IDENTITY_AUDIENCE"),
		Logger:    slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	}
	var faults []error
	note := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	var err error
	note(cfg.databaseFromEnv())
	note(cfg.secretsFromEnv())
	if cfg.BlobURL == "" {
		note(errors.New("TURNPIKE_BLOB_URL is not set: want a directory or a URL such as file:///var/lib/turnpike/blobs"))
	}
	if cfg.PublicURL == "" {
		note(errors.New("TURNPIKE_BASE_URL is not set: want the public URL of the service, such as https://api.example.com"))
	}
	if cfg.Audience == "" {
		cfg.Audience = edgewire.DefaultAudience
	}
	cfg.Fetch.Proxies, err = proxiesFromEnv()
	note(err)
	cfg.HostLimits, err = hostLimitsFromEnv()
	note(err)
	cfg.Rendering, err = RenderingFromEnv()
	note(err)
	cfg.ScrapePlaces, err = scrapePlacesFromEnv()
	note(err)
	cfg.Jobs, err = JobsFromEnv()
	note(err)
	cfg.Notifying, err = NotifyingFromEnv()
	note(err)
	cfg.Heartbeat, err = heartbeatFromEnv()
	note(err)
	cfg.ReconcileEvery, err = reconcileEveryFromEnv()
	note(err)
	note(intFromEnv(monitorPlansName, 1, monitorPlansMax, &cfg.ModelPlans))
	cfg.Model, cfg.Extracting, err = ModelFromEnv()
	note(err)
	cfg.SearchShared, err = searchSharedFromEnv()
	note(err)
	cfg.Searching, err = websearch.FromEnv(os.Getenv)
	note(err)
	return cfg, errors.Join(faults...)
}

// Version returns the module's version as the Go tool recorded it, "dev" in a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}
