package parsers

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// Summary is a parser in a list.
type Summary struct {
	ID          string `json:"id" doc:"The id of the version, or the name of a built-in parser." example:"parser_5s3cqknmzq4xhgwh2v3n7o2a"`
	Object      string `json:"object" enum:"parser"`
	Name        string `json:"name" example:"shop-item"`
	Version     int    `json:"version" doc:"The number of the version, from 1."`
	Reference   string `json:"reference" doc:"A reference to exactly this version, for use wherever a parser is given." example:"shop-item@3"`
	Description string `json:"description"`
	BuiltIn     bool   `json:"built_in" doc:"Whether the parser ships with the service."`
	Created     *int64 `json:"created" doc:"Unix time in seconds. Null for built-in parsers."`
}

// Parser is a version of a parser as clients see it.
type Parser struct {
	Summary

	Schema     json.RawMessage `json:"schema" doc:"The JSON Schema of the parser's results."`
	Definition json.RawMessage `json:"definition" doc:"The definition, as it was given. Null for built-in parsers."`
}

// TransformSchema documents the members that are JSON values of their own.
func (Parser) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, name := range []string{"schema", "definition"} {
		s.Properties[name] = &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: true, Nullable: name == "definition", Description: s.Properties[name].Description,
		}
	}
	return s
}

func schemaRef[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

const (
	// namedBytesMax is the maximum length of a reference.
	namedBytesMax = 200
	versionMax    = 1_000_000
)

// reference identifies a parser: an id, or a name with or without a version.
type reference struct {
	id      string // of a version; the other fields are then empty
	name    string
	builtIn bool
	version int // 0: the latest
}

var errReference = errors.New("must be the name of a parser, such as @turnpike/article or shop-item, optionally followed by @ and a version, or a parser_ id")

// parseReference parses a client's reference to a parser.
func parseReference(text string) (reference, error) {
	if text == "" || len(text) > namedBytesMax || !utf8.ValidString(text) {
		return reference{}, errReference
	}
	if strings.HasPrefix(text, rules.IDPrefix) {
		if !token.Is(text, strings.TrimSuffix(rules.IDPrefix, "_")) {
			return reference{}, fmt.Errorf("%.60q is not a valid parser id", text)
		}
		return reference{id: text}, nil
	}
	r := reference{name: text}
	if at := strings.LastIndexByte(text, '@'); at > 0 {
		version, err := strconv.Atoi(text[at+1:])
		if err != nil || version < 1 || version > versionMax || text[at+1] == '+' || text[at+1] == '0' {
			return reference{}, fmt.Errorf("%.60q: a version must be a number from 1, as in %.60s@1", text, text[:at])
		}
		r.name, r.version = text[:at], version
	}
	bare, builtIn := strings.CutPrefix(r.name, rules.OwnPrefix)
	r.builtIn = builtIn
	switch {
	case r.name == searchParser:
		return reference{}, fmt.Errorf("%s is not available: POST /v1/searches returns the results of a search", searchParser)
	case !builtIn && strings.HasPrefix(r.name, "@"):
		return reference{}, errOthers
	}
	if !rules.NamePattern.MatchString(bare) {
		return reference{}, errReference
	}
	return r, nil
}

// errOthers says the same of each name, so that nobody learns which ones another team has.
var errOthers = errors.New("only the names of built-in parsers begin with @: GET /v1/parsers lists them, such as @turnpike/article")

// searchParser is a parser of search results pages that clients of a similar service ask for.
const searchParser = "@olostep/google-search"

func versioned(name string, version int) string { return name + "@" + strconv.Itoa(version) }
