package main

import (
	"os"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/llm"
)

// modelFromEnv returns the language model that is configured, or nil where there is to be none.
func modelFromEnv() (llm.Client, error) {
	cfg, configured, err := llm.FromEnv(os.Getenv)
	if err != nil || !configured {
		return nil, err
	}
	return llm.New(cfg)
}

// examineModel says whether there is a language model, and never its key.
func examineModel() finding {
	const name = "Language model (llm_extract, answers)"
	cfg, configured, err := llm.FromEnv(os.Getenv)
	switch {
	case err != nil:
		return finding{name, false, strings.ReplaceAll(err.Error(), "\n", "; ")}
	case !configured:
		return finding{name, true, "off: schemas and answers are filled from what pages say themselves, prompts refused; see TURNPIKE_LLM_PROVIDER"}
	default:
		return finding{name, true, cfg.Model + " by " + string(cfg.Provider)}
	}
}
