package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

const (
	// callsMax is how many tool calls of a reply are kept.
	callsMax = 16
	// argumentsBytesMax is the limit of each call's arguments; see ToolCall.Fault.
	argumentsBytesMax = 64 << 10
	// unknownTool replaces names that the APIs would refuse.
	unknownTool = "unknown_tool"
)

// listener reads a reply of one API into an assembly.
type listener interface {
	// event reads one event of a stream; done ends it.
	event(data []byte) (done bool, failure *Error)
	// whole reads a reply that was not streamed.
	whole(body []byte) *Error
}

// assembly builds a reply from its pieces, and cuts one that does not end.
type assembly struct {
	text  strings.Builder
	calls []*callPieces
	usage Usage
	model string
	// quarters is the output so far as EstimateTokens counts it, in quarters of a token, including reasoning.
	quarters int
	// tokensMax is where a reply is cut, 0 for never: twice the requested limit, since estimates err.
	tokensMax int
	onText    func(string)
	told      bool
	// finished is set when the server has given the reason why the reply ends.
	finished bool
}

type callPieces struct {
	id, name  string
	arguments strings.Builder
}

// plausible bounds the server's token counts, so that sums cannot overflow.
func plausible(tokens int64) int64 { return min(max(tokens, 0), 1_000_000_000) }

// count counts a piece of a reply.
func (a *assembly) count(piece string) *Error {
	for _, r := range piece {
		if a.quarters++; r >= utf8.RuneSelf {
			a.quarters += 3
		}
	}
	if a.tokensMax > 0 && a.quarters > 4*a.tokensMax {
		return cut()
	}
	return nil
}

func (a *assembly) write(piece string) *Error {
	if piece == "" {
		return nil
	}
	a.text.WriteString(piece)
	if a.onText != nil {
		a.told = true
		a.onText(piece)
	}
	return a.count(piece)
}

// begin adds a call.
func (a *assembly) begin(id, name string) *callPieces {
	call := &callPieces{id: id, name: name}
	if len(a.calls) < callsMax {
		a.calls = append(a.calls, call)
	}
	return call
}

// argue adds a piece to a call's arguments.
func (a *assembly) argue(call *callPieces, piece string) *Error {
	call.arguments.WriteString(piece)
	return a.count(piece)
}

// reply is the reply so far.
func (a *assembly) reply() ChatReply {
	reply := ChatReply{Text: strings.ToValidUTF8(a.text.String(), ""), Usage: a.usage, Model: a.model}
	taken := map[string]bool{}
	for i, pieces := range a.calls {
		call := pieces.call()
		if !callID.MatchString(call.ID) || taken[call.ID] {
			call.ID = fmt.Sprintf("call_%d", i)
			for taken[call.ID] {
				call.ID += "_"
			}
		}
		taken[call.ID] = true
		reply.Calls = append(reply.Calls, call)
	}
	return reply
}

func (p *callPieces) call() ToolCall {
	call := ToolCall{ID: p.id, Name: p.name, Arguments: json.RawMessage(`{}`)}
	if !toolName.MatchString(p.name) {
		call.Name, call.Fault = unknownTool, "there is no such tool"
		return call
	}
	text := strings.TrimSpace(p.arguments.String())
	switch {
	case text == "": // a tool without arguments
	case len(text) > argumentsBytesMax:
		call.Fault = fmt.Sprintf("the arguments are longer than %d bytes", argumentsBytesMax)
	default:
		value, err := jsonschema.Parse([]byte(text))
		members, ok := value.(map[string]any)
		if err != nil || !ok {
			call.Fault = "the arguments are not a JSON object"
			break
		}
		call.Arguments = jsonschema.Encode(members)
	}
	return call
}

// hear sends a conversation and reads the reply with a listener, a new one for each attempt.
func (s *server) hear(ctx context.Context, body any, stream bool, begin func() (*assembly, listener)) (*assembly, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return &assembly{}, &Error{Reason: ReasonRefused, Message: "the request cannot be encoded", Err: err}
	}
	var a *assembly
	spent := Usage{}
	err = s.repeat(ctx, func() *Error {
		if a != nil {
			spent = spent.Add(a.usage)
		}
		var l listener
		a, l = begin()
		failure := s.listen(ctx, encoded, stream, a, l)
		if failure != nil && a.told {
			failure.Status = http.StatusOK // text was passed on already, so there is no retry
		}
		return failure
	})
	a.usage = a.usage.Add(spent)
	return a, err
}

func (s *server) listen(ctx context.Context, body []byte, stream bool, a *assembly, l listener) *Error {
	response, failure := s.open(ctx, body)
	if failure != nil {
		return failure
	}
	defer response.Body.Close()
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); !stream || kind == "application/json" {
		answer, failure := s.whole(ctx, response.Body)
		if failure != nil {
			return failure
		}
		return l.whole(answer)
	}
	in := newEvents(response.Body, replyBytesMax)
	for {
		_, data, err := in.next() // both APIs repeat the event's name in its data
		switch {
		case errors.Is(err, io.EOF) && a.finished:
			return nil
		case errors.Is(err, io.EOF):
			return &Error{Reason: ReasonUnavailable, Message: "the stream ended before the reply was complete"}
		case errors.Is(err, errStreamTooLong):
			return &Error{Reason: ReasonTooLong, Status: http.StatusOK, Message: err.Error()}
		case err != nil:
			return s.broken(ctx, err)
		}
		if done, failure := l.event(data); failure != nil || done {
			return failure
		}
	}
}

// settle completes the reply: it estimates tokens that the server did not count, and parses the requested object.
func (a *assembly) settle(request ChatRequest, err error, model string, prices Prices) ChatReply {
	reply := a.reply()
	if a.quarters > 0 || err == nil { // the server has begun to reply
		if reply.Usage.Input == 0 {
			reply.Usage.Input, reply.Estimated = int64(request.Tokens()), true
		}
		if reply.Usage.Output == 0 || err != nil && reply.Usage.Output < int64(a.quarters/4) {
			reply.Usage.Output, reply.Estimated = int64(a.quarters+3)/4, true
		}
	}
	if reply.Model == "" {
		reply.Model = model
	}
	reply.Cost = prices.Of(reply.Usage)
	if len(request.Schema) > 0 && err == nil {
		if members, fault := parseReply(reply.Text); fault == nil {
			reply.Object = jsonschema.Encode(members)
		}
	}
	return reply
}

// streamError reads an error within a stream, which has status 200.
func (s *server) streamError(data []byte) *Error {
	said := readAPIError(data)
	e := &Error{Reason: ReasonUnavailable, Message: s.clean(said.Message), Err: &said}
	switch text := said.text(); {
	case strings.Contains(text, "rate_limit"):
		e.Reason = ReasonRateLimited
	case strings.Contains(text, "invalid_request"), strings.Contains(text, "authentication"), strings.Contains(text, "permission"):
		e.Reason = ReasonRefused
	}
	return e
}
