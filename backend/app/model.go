package app

import (
	"errors"
	"os"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/scrapes/extraction"
)

// ModelFromEnv returns the configured language model, nil if there is none, and how much of it one llm_extract may use.
func ModelFromEnv() (model llm.Client, limits extraction.Limits, err error) {
	const tokensMax = 1_000_000
	cfg, configured, err := llm.FromEnv(os.Getenv)
	err = errors.Join(err,
		intFromEnv("TURNPIKE_LLM_TOKENS", llm.TokensMin, tokensMax, &limits.Tokens),
		intFromEnv("TURNPIKE_LLM_WALLET_TOKENS", llm.TokensMin, tokensMax, &limits.WalletTokens))
	if err != nil || !configured {
		return nil, limits, err
	}
	model, err = llm.New(cfg)
	return model, limits, err
}

// examineModel reports whether there is a language model; it never prints its key.
func examineModel() Finding {
	const name = "Language model (llm_extract, answers)"
	cfg, configured, err := llm.FromEnv(os.Getenv)
	switch {
	case err != nil:
		return Finding{name, false, strings.ReplaceAll(err.Error(), "\n", "; ")}
	case !configured:
		return Finding{name, true, "off: schemas and answers are filled from page content alone, and prompts are refused; see TURNPIKE_LLM_PROVIDER"}
	default:
		return Finding{name, true, cfg.Model + " by " + string(cfg.Provider)}
	}
}
