package llm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

const (
	replyTextBytesMax = 256 << 10
	// candidatesMax is how many pieces of a reply are tried as the answer.
	candidatesMax = 20
)

// parseReply finds the JSON object in a reply. Even models that were asked for nothing else add reasoning, greetings and code fences.
func parseReply(text string) (map[string]any, error) {
	if len(text) > replyTextBytesMax {
		return nil, fmt.Errorf("is longer than %d bytes", replyTextBytesMax)
	}
	// Reasoning models write their reasoning before the answer, possibly with JSON in it.
	if at := strings.LastIndex(text, "</think>"); at >= 0 {
		text = text[at+len("</think>"):]
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if text == "" {
		return nil, errors.New("is empty")
	}
	value, whole := jsonschema.Parse([]byte(text))
	if members, ok := value.(map[string]any); ok && whole == nil {
		return members, nil
	}
	if whole == nil {
		return nil, errors.New("is JSON, but no object")
	}
	var best map[string]any
	bestBytes := 0
	for rest, tried := text, 0; tried < candidatesMax; tried++ {
		begin := strings.IndexByte(rest, '{')
		if begin < 0 {
			break
		}
		rest = rest[begin:]
		end := objectEnd(rest)
		if end > bestBytes {
			if value, err := jsonschema.Parse([]byte(rest[:end])); err == nil {
				best, _ = value.(map[string]any)
				bestBytes = end
			}
		}
		rest = rest[max(1, end):]
	}
	if best == nil {
		return nil, fmt.Errorf("holds no JSON object: as a whole it %w", whole)
	}
	return best, nil
}

// objectEnd returns where the object that text begins with ends; 0 if it does not end.
func objectEnd(text string) int {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '"':
			inString = !inString
		case inString && b == '\\':
			i++
		case inString:
		case b == '{':
			depth++
		case b == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
