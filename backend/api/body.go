package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// LargeBodiesDefault is how many bytes of request bodies above BodyBytesMax are in memory at once, measured as they
// were sent. Decoding them takes several times as much.
const LargeBodiesDefault = 4 * largestBody

// readBody reads the whole body once and checks its size, that it is the body that was priced, and that it is JSON that
// all parsers read alike. Operations take it from the context, by decode.Body.
func (s *Server) readBody(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	if r.Header.Get("Content-Encoding") != "" {
		s.fail(ctx, problem.Validation(problem.Fault{
			Loc: []any{"header", "Content-Encoding"}, Msg: "send the body without a content encoding", Type: problem.FaultInvalid,
		}))
		return
	}
	a := admissionOf(ctx.Context())
	var id *edgewire.Identity
	if a != nil {
		id = a.id
	}
	err := s.withBody(ctx.Context(), w, r, id, principal.BodyMaxOf(ctx.Operation(), BodyBytesMax), func(body *edgewire.Body) error {
		if a != nil {
			a.body = body
		}
		r.Body = io.NopCloser(bytes.NewReader(forHuma(body)))
		// The body was checked to be JSON, so a client that forgot the header is served too.
		r.Header.Set("Content-Type", "application/json")
		next(huma.WithContext(ctx, decode.With(ctx.Context(), body)))
		return nil
	})
	if err != nil {
		s.fail(ctx, err)
	}
}

// forHuma is what Huma is to see of a body: whether there is one.
func forHuma(body *edgewire.Body) []byte {
	if len(body.Text()) == 0 {
		return nil
	}
	return []byte("{}")
}

// withBody reads the body of r and passes it to do. The body must match id, if there is one, and must be JSON unless it
// is empty. Errors are do's, or say what is wrong with the body. ctx names the holder whose share of large bodies it
// counts against. Large bodies are decoded in membudget.Aside, because that takes a CPU for long.
func (s *Server) withBody(
	ctx context.Context, w http.ResponseWriter, r *http.Request, id *edgewire.Identity, bytesMax int64, do func(body *edgewire.Body) error,
) error {
	// The read deadline belongs to the connection. It is cleared before the handler runs, or it would end the request.
	// Writers without deadlines (in tests) have no slow clients either.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(s.config.BodyTimeout))
	text, release, err := s.readWhole(ctx, http.MaxBytesReader(w, r.Body, bytesMax), r.ContentLength)
	_ = connection.SetReadDeadline(time.Time{})
	defer release()
	if err != nil {
		return bodyError(err)
	}
	work := func() {
		body := edgewire.NewBody(text)
		if err = checkBody(id, body); err == nil {
			err = do(body)
		}
	}
	if len(text) > BodyBytesMax {
		membudget.Aside(work)
	} else {
		work()
	}
	return err
}

func checkBody(id *edgewire.Identity, body *edgewire.Body) error {
	if id != nil {
		if err := id.CheckBody(body.Text()); err != nil {
			return problem.NeedsKey(err)
		}
	}
	if len(body.Text()) > 0 {
		if err := body.Check(); err != nil {
			return problem.Wrap(problem.InvalidJSON, "The body is not valid: "+err.Error()+".", nil)
		}
	}
	return nil
}

// readWhole reads from limited. For bodies above BodyBytesMax, ctx's holder gets only its share of the large-body
// memory, and of the work on them, until the returned function releases both.
func (s *Server) readWhole(ctx context.Context, limited io.Reader, contentLength int64) ([]byte, func(), error) {
	usual, err := io.ReadAll(io.LimitReader(limited, BodyBytesMax+1))
	if err != nil || len(usual) <= BodyBytesMax {
		return usual, func() {}, err
	}
	if contentLength < 0 || contentLength > largestBody {
		contentLength = largestBody
	}
	room, err := s.config.LargeBodies.Enter(ctx, contentLength)
	if err != nil {
		return nil, func() {}, err
	}
	whole := bytes.NewBuffer(usual)
	whole.Grow(max(int(contentLength)-len(usual), 0) + bytes.MinRead) // as ReadFrom wants it, so that it is not copied again
	if _, err = whole.ReadFrom(limited); err != nil {
		return nil, room.Release, err
	}
	// Work on such a body keeps a CPU busy, here and in the database, until the response.
	leave, err := s.config.LongWork(ctx) // only those that got room wait here
	if err != nil {
		return nil, room.Release, err
	}
	return whole.Bytes(), func() { leave(); room.Release() }, nil
}

func bodyError(err error) error {
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return problem.New(problem.PayloadTooLarge, fmt.Sprintf("The body is larger than %d bytes.", e.Limit))
	}
	if errors.Is(err, admission.ErrOverloaded) {
		e := problem.Wrap(problem.Overloaded, "You have reached the limit of large requests in progress. Nothing was done or charged; try again.", err)
		e.RetryAfter = time.Second
		return e
	}
	return problem.Wrap(problem.InvalidJSON, "The body was not received completely.", err)
}
