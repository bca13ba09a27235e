package websearch

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
)

// The names of the providers.
const (
	NameLocal   = "local"
	NameSearXNG = "searxng"
	NameBrave   = "brave"
	NameSerper  = "serper"
)

// names are in the default order: the operator's own server comes before services that cost money, and this installation's
// own pages come last, for when the web returns nothing.
var names = []string{NameSearXNG, NameBrave, NameSerper, NameLocal}

// The names of environment variables.
const (
	envProviders = "TURNPIKE_SEARCH_PROVIDERS"
	envSearXNG   = "TURNPIKE_SEARXNG_URL"
	envBrave     = "TURNPIKE_BRAVE_KEY"
	envSerper    = "TURNPIKE_SERPER_KEY"
)

// Config selects the providers. The zero value selects only the local one. Printing or logging it shows no key.
type Config struct {
	// Order has the providers' names in the order in which they are asked. Default: all that are configured, in the order
	// searxng, brave, serper, local.
	Order []string
	// SearXNGURL is the URL of the operator's SearXNG, without credentials: "http://127.0.0.1:8080".
	SearXNGURL string
	// BraveKey is a key for the web search of Brave's Search API.
	BraveKey string
	// SerperKey is a key for serper.dev.
	SerperKey string
}

// FromEnv reads TURNPIKE_SEARCH_PROVIDERS, TURNPIKE_SEARXNG_URL, TURNPIKE_BRAVE_KEY and TURNPIKE_SERPER_KEY. Its errors
// name the variable and contain no key.
func FromEnv(getenv func(string) string) (Config, error) {
	value := func(name string) string { return strings.TrimSpace(getenv(name)) }
	c := Config{SearXNGURL: value(envSearXNG), BraveKey: value(envBrave), SerperKey: value(envSerper)}
	if list := value(envProviders); list != "" {
		for name := range strings.SplitSeq(list, ",") {
			c.Order = append(c.Order, strings.ToLower(strings.TrimSpace(name)))
		}
	}
	if err := c.Validate(); err != nil {
		return Config{}, fmt.Errorf("the search providers' configuration: %w", err)
	}
	return c, nil
}

// Validate returns all faults.
func (c Config) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	seen := map[string]bool{}
	for _, name := range c.Order {
		switch {
		case name == "":
			fault("%s: has a comma without a name; use names such as brave,local", envProviders)
		case !slices.Contains(names, name):
			fault("%s: %.40q is not a provider; the providers are %s", envProviders, name, strings.Join(names, ", "))
		case seen[name]:
			fault("%s: names %s twice", envProviders, name)
		case !c.has(name):
			fault("%s: names %s, for which %s must be set", envProviders, name, variable(name))
		}
		seen[name] = true
	}
	if c.SearXNGURL != "" {
		if err := checkBase(c.SearXNGURL); err != nil {
			fault("%s: %w", envSearXNG, err)
		}
	}
	for _, name := range []string{NameBrave, NameSerper} {
		if key := c.key(name); len(key) > keyBytesMax || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			fault("%s: has a character that keys cannot have, or more than %d characters", variable(name), keyBytesMax)
		}
	}
	return errors.Join(errs...)
}

const keyBytesMax = 512

// checkBase returns what is wrong with the URL of a SearXNG, without repeating it.
func checkBase(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return errors.New("is not a URL")
	case u.User != nil:
		return errors.New("must contain no credentials")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("must be an absolute http or https URL, as in http://127.0.0.1:8080")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("must have no query and no fragment")
	}
	return nil
}

// variable returns the environment variable that configures a provider.
func variable(name string) string {
	return map[string]string{NameSearXNG: envSearXNG, NameBrave: envBrave, NameSerper: envSerper}[name]
}

func (c Config) key(name string) string {
	return map[string]string{NameBrave: c.BraveKey, NameSerper: c.SerperKey}[name]
}

// has reports whether a provider is configured.
func (c Config) has(name string) bool {
	return name == NameLocal || name == NameSearXNG && c.SearXNGURL != "" || c.key(name) != ""
}

// Providers returns the names of the providers that are asked, in order.
func (c Config) Providers() []string {
	if len(c.Order) > 0 {
		return slices.Clone(c.Order)
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !c.has(name) })
}

// String describes the configuration without keys.
func (c Config) String() string { return "search providers " + strings.Join(c.Providers(), ",") }

// GoString implements fmt.GoStringer, for %#v.
func (c Config) GoString() string { return c.String() }

// LogValue implements slog.LogValuer.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// New returns the chain of the configured providers. It makes no request. local searches this installation's own pages; it
// may be nil if the configuration does not include it.
func New(c Config, local Provider, o Options) (*Chain, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("configuring search: %w", err)
	}
	o = o.withDefaults()
	var providers []Provider
	for _, name := range c.Providers() {
		switch name {
		case NameSearXNG:
			providers = append(providers, NewSearXNG(c.SearXNGURL, o))
		case NameBrave:
			providers = append(providers, NewBrave(c.BraveKey, o))
		case NameSerper:
			providers = append(providers, NewSerper(c.SerperKey, o))
		default:
			if local == nil {
				return nil, errors.New("configuring search: there is no local provider")
			}
			providers = append(providers, local)
		}
	}
	return NewChain(providers, o)
}
