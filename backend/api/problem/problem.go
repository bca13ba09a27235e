package problem

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/db/outage"
)

// Code is the machine-readable name of a problem, which clients get.
type Code string

// The error codes. See the service contract, "Errors".
const (
	ValidationError Code = "validation_error"
	InvalidMetadata Code = "invalid_metadata"
	InvalidJSON     Code = "invalid_json"

	InvalidAPIKey Code = "invalid_api_key"

	CreditsExhausted       Code = "credits_exhausted"
	CardDeclined           Code = "card_declined"
	AuthenticationRequired Code = "authentication_required"
	NoPaymentMethod        Code = "no_payment_method"

	AccessDenied        Code = "access_denied"
	RobotsDisallowed    Code = "robots_disallowed"
	BlockedAddress      Code = "blocked_address"
	UnsupportedFileType Code = "unsupported_file_type"

	NotFound         Code = "not_found"
	ScrapeNotFound   Code = "scrape_not_found"
	CrawlNotFound    Code = "crawl_not_found"
	BatchNotFound    Code = "batch_not_found"
	AnswerNotFound   Code = "answer_not_found"
	KeyNotFound      Code = "key_not_found"
	ParserNotFound   Code = "parser_not_found"
	FileNotFound     Code = "file_not_found"
	MapNotFound      Code = "map_not_found"
	SearchNotFound   Code = "search_not_found"
	ScheduleNotFound Code = "schedule_not_found"
	MonitorNotFound  Code = "monitor_not_found"

	DeliveryNotFound Code = "delivery_not_found"

	MethodNotAllowed Code = "method_not_allowed"

	IdempotencyKeyInProgress Code = "idempotency_key_in_progress"
	TopUpInProgress          Code = "topup_in_progress"
	InvalidState             Code = "invalid_state"

	PayloadTooLarge Code = "payload_too_large"

	IdempotencyKeyReuse Code = "idempotency_key_reuse"
	InvalidParserInput  Code = "invalid_parser_input"

	RateLimitExceeded Code = "rate_limit_exceeded"

	InternalServerError Code = "internal_server_error"

	ProviderNotConfigured Code = "provider_not_configured"
	RendererUnavailable   Code = "renderer_unavailable"

	FetchFailed  Code = "fetch_failed"
	SearchFailed Code = "search_failed"

	Overloaded Code = "overloaded"

	RequestTimeout Code = "request_timeout"
)

// Kind holds what all problems of one HTTP status have in common.
type Kind struct {
	Status int
	Slug   string // last part of the error's type URL
	Title  string
}

var (
	badRequest       = Kind{http.StatusBadRequest, "bad_request", "Bad Request"}
	unauthorized     = Kind{http.StatusUnauthorized, "unauthorized", "Unauthorized"}
	paymentRequired  = Kind{http.StatusPaymentRequired, "payment_required", "Payment Required"}
	forbidden        = Kind{http.StatusForbidden, "forbidden", "Forbidden"}
	notFound         = Kind{http.StatusNotFound, "not_found", "Not Found"}
	methodNotAllowed = Kind{http.StatusMethodNotAllowed, "method_not_allowed", "Method Not Allowed"}
	conflict         = Kind{http.StatusConflict, "conflict", "Conflict"}
	payloadTooLarge  = Kind{http.StatusRequestEntityTooLarge, "payload_too_large", "Payload Too Large"}
	unprocessable    = Kind{http.StatusUnprocessableEntity, "unprocessable", "Unprocessable Entity"}
	tooManyRequests  = Kind{http.StatusTooManyRequests, "too_many_requests", "Too Many Requests"}
	internalError    = Kind{http.StatusInternalServerError, "internal_error", "Internal Server Error"}
	notImplemented   = Kind{http.StatusNotImplemented, "not_implemented", "Not Implemented"}
	badGateway       = Kind{http.StatusBadGateway, "bad_gateway", "Bad Gateway"}
	unavailable      = Kind{http.StatusServiceUnavailable, "service_unavailable", "Service Unavailable"}
	timeout          = Kind{http.StatusGatewayTimeout, "timeout", "Gateway Timeout"}
)

// Kind returns the status, slug and title of c. An unknown code gets those of an internal error, so that clients never
// get an undocumented one.
func (c Code) Kind() Kind {
	switch c {
	case ValidationError, InvalidMetadata, InvalidJSON:
		return badRequest
	case InvalidAPIKey:
		return unauthorized
	case CreditsExhausted, CardDeclined, AuthenticationRequired, NoPaymentMethod:
		return paymentRequired
	case AccessDenied, RobotsDisallowed, BlockedAddress, UnsupportedFileType:
		return forbidden
	case NotFound, ScrapeNotFound, CrawlNotFound, BatchNotFound, AnswerNotFound, KeyNotFound, ParserNotFound, FileNotFound, MapNotFound,
		SearchNotFound, MonitorNotFound, ScheduleNotFound, DeliveryNotFound:
		return notFound
	case MethodNotAllowed:
		return methodNotAllowed
	case IdempotencyKeyInProgress, TopUpInProgress, InvalidState:
		return conflict
	case PayloadTooLarge:
		return payloadTooLarge
	case IdempotencyKeyReuse, InvalidParserInput:
		return unprocessable
	case RateLimitExceeded:
		return tooManyRequests
	case ProviderNotConfigured, RendererUnavailable:
		return notImplemented
	case FetchFailed, SearchFailed:
		return badGateway
	case Overloaded:
		return unavailable
	case RequestTimeout:
		return timeout
	case InternalServerError:
		return internalError
	default:
		return internalError
	}
}

// Codes lists all codes, in the order of their statuses.
func Codes() []Code {
	return []Code{
		ValidationError, InvalidMetadata, InvalidJSON,
		InvalidAPIKey,
		CreditsExhausted, CardDeclined, AuthenticationRequired, NoPaymentMethod,
		AccessDenied, RobotsDisallowed, BlockedAddress, UnsupportedFileType,
		NotFound, ScrapeNotFound, CrawlNotFound, BatchNotFound, AnswerNotFound, KeyNotFound, ParserNotFound, FileNotFound, MapNotFound,
		SearchNotFound, MonitorNotFound, ScheduleNotFound, DeliveryNotFound,
		MethodNotAllowed,
		IdempotencyKeyInProgress, TopUpInProgress, InvalidState,
		PayloadTooLarge,
		IdempotencyKeyReuse, InvalidParserInput,
		RateLimitExceeded,
		InternalServerError,
		ProviderNotConfigured, RendererUnavailable,
		FetchFailed, SearchFailed,
		Overloaded,
		RequestTimeout,
	}
}

// Error is the problem of one request.
type Error struct {
	Code Code
	// Detail tells the client what was wrong, where, and what would be right.
	Detail string
	// Metadata is shown to the client. The contract defines it for each code.
	Metadata map[string]any
	// RetryAfter is sent as the Retry-After header, in whole seconds; 0: not sent.
	RetryAfter time.Duration
	// Err is for operators: it is logged and never sent to the client.
	Err error

	kind *Kind // nil: the code's own
}

// New returns an error with a detail for the client.
func New(code Code, detail string) *Error { return &Error{Code: code, Detail: detail} }

// Wrap is New with a cause for operators.
func Wrap(code Code, detail string, err error) *Error {
	return &Error{Code: code, Detail: detail, Err: err}
}

// WrongState is an InvalidState with status 400. The contract uses it for operations that can never succeed on the
// resource again, such as completing what is complete.
func WrongState(detail string) *Error {
	return &Error{Code: InvalidState, Detail: detail, kind: &badRequest}
}

// At returns e with another HTTP status of 400 or more, for clients that know fewer statuses.
func (e *Error) At(status int) *Error {
	moved := *e
	moved.kind = &Kind{Status: status, Slug: e.Kind().Slug, Title: http.StatusText(status)}
	return &moved
}

// NeedsKey is the response when a key is missing or not accepted. It is the same for every reason, so that it does not
// reveal what exists.
func NeedsKey(err error) *Error {
	return Wrap(InvalidAPIKey, "This needs a valid API key: send it as \"Authorization: Bearer <key>\".", err)
}

// outageRetryAfter is when clients should retry during an outage: a database that restarts or fails over is rarely back sooner.
const outageRetryAfter = 2 * time.Second

// Internal hides err from the client. During a database outage the client is asked to retry later, because then neither
// the request nor this service is at fault.
func Internal(err error) *Error {
	if outage.Is(err) {
		return &Error{
			Code: Overloaded, Detail: "The service cannot reach its data at the moment. Nothing was charged; try again shortly.",
			RetryAfter: outageRetryAfter, Err: err,
		}
	}
	return &Error{Code: InternalServerError, Detail: "Something went wrong on our side.", Err: err}
}

func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Detail
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Kind returns what e has in common with all problems of its HTTP status.
func (e *Error) Kind() Kind {
	if e.kind != nil {
		return *e.kind
	}
	return e.Code.Kind()
}

// GetStatus implements huma.StatusError.
func (e *Error) GetStatus() int { return e.Kind().Status }

// GetHeaders implements huma.HeadersError.
func (e *Error) GetHeaders() http.Header {
	if e.RetryAfter <= 0 {
		return nil
	}
	seconds := int64((e.RetryAfter + time.Second - 1) / time.Second)
	return http.Header{"Retry-After": {strconv.FormatInt(seconds, 10)}}
}

// From returns err as an *Error: the one that it wraps, or an internal error.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Internal(err)
}
