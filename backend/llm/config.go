package llm

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Provider is the kind of server.
type Provider string

// The providers.
const (
	// OpenAI is OpenAI's API, and all servers with its chat completions: vLLM, Ollama, llama.cpp, LiteLLM, OpenRouter…
	OpenAI Provider = "openai"
	// Anthropic is Anthropic's API.
	Anthropic Provider = "anthropic"
)

// Config says how to reach a model.
type Config struct {
	// Provider is the kind of server.
	Provider Provider
	// URL is the API's base, without credentials: "http://127.0.0.1:11434/v1". Default: the provider's own,
	// https://api.openai.com/v1 or https://api.anthropic.com.
	URL string
	// Key is the API key. Self-hosted servers may need none.
	Key string
	// Model is the server's name of the model.
	Model string
	// MaxTokens limits a reply. Default 4096.
	MaxTokens int
	// Timeout is for a completion with all its retries. Default 50 s, because a scrape has 60.
	Timeout time.Duration
	// Attempts is how often a request is made at most if the server is busy or unreachable. Default 3.
	Attempts int
	// Prices are what the operator pays; zero if not given.
	Prices Prices
}

const (
	maxTokensDefault = 4096
	timeoutDefault   = 50 * time.Second
	attemptsDefault  = 3

	openAIURL    = "https://api.openai.com/v1"
	anthropicURL = "https://api.anthropic.com"
)

// Names of environment variables.
const (
	envProvider = "TURNPIKE_LLM_PROVIDER"
	envURL      = "TURNPIKE_LLM_URL"
	envKey      = "TURNPIKE_LLM_KEY"
	envModel    = "TURNPIKE_LLM_MODEL"
	envPriceIn  = "TURNPIKE_LLM_PRICE_IN"
	envPriceOut = "TURNPIKE_LLM_PRICE_OUT"
)

// FromEnv reads a configuration from TURNPIKE_LLM_PROVIDER, _URL, _KEY and _MODEL, and the prices of a million tokens, in
// dollars, from _PRICE_IN and _PRICE_OUT. It returns false if none of them is set: there is no model then. An incomplete
// configuration is an error.
func FromEnv(getenv func(string) string) (Config, bool, error) {
	c := Config{
		Provider: Provider(strings.TrimSpace(getenv(envProvider))), URL: strings.TrimSpace(getenv(envURL)),
		Key: strings.TrimSpace(getenv(envKey)), Model: strings.TrimSpace(getenv(envModel)),
	}
	prices, err := pricesFromEnv(getenv)
	c.Prices = prices
	if err == nil && c == (Config{}) {
		return c, false, nil
	}
	if err := errors.Join(err, c.Validate()); err != nil {
		return Config{}, false, fmt.Errorf("the language model's configuration (%s, %s, %s, %s): %w", envProvider, envURL, envKey, envModel, err)
	}
	return c, true, nil
}

// Validate reports all faults.
func (c Config) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch c.Provider {
	case OpenAI, Anthropic:
	case "":
		fault("provider: must be openai (also for servers that speak its protocol) or anthropic")
	default:
		fault("provider: %.40q is not openai or anthropic", string(c.Provider))
	}
	if c.URL != "" {
		u, err := url.Parse(c.URL)
		switch {
		case err != nil: // without the error's text, which repeats the URL
			fault("url: is not a URL")
		case u.User != nil:
			fault("url: must not contain credentials; set the key separately")
		case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			fault("url: must be an absolute http or https URL, as in %s", openAIURL)
		case u.RawQuery != "" || u.Fragment != "":
			fault("url: must not have a query or a fragment")
		}
	} else if c.Key == "" {
		fault("key: is required for the provider's own server; for your own server, set a url, and a key if it needs one")
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		fault("key: has a space or another character that keys cannot have")
	}
	if c.Model == "" {
		fault("model: must be the name of a model on the server")
	}
	if c.Prices.Input < 0 || c.Prices.Output < 0 {
		fault("prices: must not be negative")
	}
	if c.MaxTokens < 0 || c.Timeout < 0 || c.Attempts < 0 {
		fault("max tokens, timeout and attempts must not be negative")
	}
	return errors.Join(errs...)
}

// New returns a model. It makes no request.
func New(c Config) (Client, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("configuring the language model: %w", err)
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = maxTokensDefault
	}
	if c.Timeout == 0 {
		c.Timeout = timeoutDefault
	}
	if c.Attempts == 0 {
		c.Attempts = attemptsDefault
	}
	c.URL = strings.TrimRight(c.URL, "/")
	if c.Provider == Anthropic {
		return newAnthropic(c), nil
	}
	return newOpenAI(c), nil
}
