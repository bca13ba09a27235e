package schedules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Request is the body of POST /v1/schedules.
type Request struct {
	Method             string          `json:"method" enum:"GET,POST" doc:"The HTTP method of the calls."`
	Endpoint           string          `json:"endpoint" minLength:"1" maxLength:"2000" doc:"The endpoint to call, without the host. With POST: v1/scrapes, v1/maps, v1/crawls, v1/batches, v1/searches, v1/answers or v1/monitors/{id}/run. With GET: a readable path below v1/." example:"v1/scrapes"`
	Payload            json.RawMessage `json:"payload,omitempty" doc:"The JSON body of the calls: an object that the endpoint accepts."`
	CronExpression     *string         `json:"cron_expression,omitempty" maxLength:"200" doc:"The times of the calls as a cron expression with 5 fields, or 6 with seconds first. In the day fields, ? means *." example:"0 9 * * MON-FRI"`
	ExecuteAt          *time.Time      `json:"execute_at,omitempty" doc:"The time of a single call: a future time with its offset from UTC."`
	Text               *string         `json:"text,omitempty" doc:"The times of the calls in words, at most 50 characters. Calls must be at least 10 minutes apart." example:"every weekday at 9am"`
	ExpressionTimezone *string         `json:"expression_timezone,omitempty" maxLength:"100" doc:"The IANA time zone of cron_expression or text. Default: UTC." example:"Europe/Berlin"`
	ScheduleName       string          `json:"schedule_name,omitempty" maxLength:"200" doc:"A name of your choice."`
	ScheduleGroup      string          `json:"schedule_group,omitempty" maxLength:"200" doc:"A group of your choice."`
}

// payloadBytesMax leaves room for the rest of a request below the body limit.
const payloadBytesMax = 512 << 10

// payloadsBytesMax is the total size of the payloads of a team's schedules, since a list shows all of them.
const payloadsBytesMax = 16 << 20

// executeMax is how far ahead a single time may be.
const executeMax = 10 * 366 * 24 * time.Hour

// posts are the endpoints that may be called by POST, as listed in refusals. Others, such as creating keys or schedules,
// make no sense repeatedly.
var posts = []string{"v1/scrapes", "v1/maps", "v1/crawls", "v1/batches", "v1/searches", "v1/answers", "v1/monitors/{id}/run"}

// plan is a checked request.
type plan struct {
	kind      Type
	method    string
	endpoint  string // "v1/scrapes", with a query
	payload   []byte // nil: none
	frequency frequency.Frequency
	executeAt *time.Time
	timezone  string
}

// plan checks r, except for what only the endpoint knows. The error is a problem.
func (s *Service) plan(ctx context.Context, r *Request) (*plan, error) {
	p := &plan{kind: TypeRecurring, method: r.Method, timezone: zoneOfAll}
	var faults []problem.Fault
	fault := func(field, msg string) { faults = append(faults, problem.BodyFault(field, msg)) }
	if r.ExpressionTimezone != nil {
		p.timezone = *r.ExpressionTimezone
		if _, err := placeOf(p.timezone); err != nil {
			fault("expression_timezone", "must be the IANA name of a time zone, such as Europe/Berlin")
		}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		fault("method", "must be GET or POST")
	} else if msg := p.setEndpoint(ctx, s.config.Book, r.Endpoint); msg != "" {
		fault("endpoint", msg)
	}
	if msg := p.setPayload(r.Payload); msg != "" {
		fault("payload", msg)
	}
	if field, msg := s.setTime(p, r); field != "" {
		fault(field, msg)
	}
	for field, text := range map[string]string{"schedule_name": r.ScheduleName, "schedule_group": r.ScheduleGroup} {
		if strings.ContainsRune(text, 0) {
			fault(field, "must not contain a null character")
		}
	}
	if len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	return p, nil
}

// setEndpoint sets a valid endpoint, or returns what is wrong with it.
func (p *plan) setEndpoint(ctx context.Context, book Book, endpoint string) string {
	endpoint = strings.TrimPrefix(endpoint, "/")
	u, err := url.ParseRequestURI("/" + endpoint)
	if err != nil || strings.ContainsAny(endpoint, "#\\ \x00") || path.Clean(u.Path) != u.Path || !strings.HasPrefix(u.Path, "/v1/") {
		return `must be a path of this API without the host, such as "v1/scrapes"`
	}
	if u.Query().Has("dry_run") || u.Query().Has("stream") {
		return "must not request a dry run or a stream"
	}
	p.endpoint = endpoint
	switch p.method {
	case http.MethodPost:
		if u.RawQuery != "" || u.RawPath != "" || !isPost(u.Path) {
			return "cannot be scheduled with POST: must be one of " + strings.Join(posts, ", ")
		}
	default:
		_, err := book.Quote(ctx, &price.Request{Method: http.MethodGet, URL: u}, edgewire.UnitCredit)
		if errors.Is(err, price.ErrNoRule) || strings.HasPrefix(u.Path, "/v1/schedules") {
			return "cannot be scheduled with GET: must be a readable path below v1/, such as v1/crawls/{id}"
		}
	}
	return ""
}

func isPost(path string) bool {
	path = strings.TrimPrefix(path, "/")
	if slices.Contains(posts, path) {
		return true
	}
	id, isMonitor := strings.CutPrefix(path, "v1/monitors/monitor_")
	id, isRun := strings.CutSuffix(id, "/run")
	return isMonitor && isRun && id != "" && !strings.Contains(id, "/")
}

// setPayload sets a valid payload, or returns what is wrong with it.
func (p *plan) setPayload(payload json.RawMessage) string {
	payload = bytes.TrimSpace(payload)
	if len(payload) == 0 || bytes.Equal(payload, []byte("null")) {
		return ""
	}
	switch {
	case payload[0] != '{':
		return "must be an object"
	case len(payload) > payloadBytesMax:
		return fmt.Sprintf("must have at most %d bytes", payloadBytesMax)
	case p.method == http.MethodGet:
		if compact := new(bytes.Buffer); json.Compact(compact, payload) != nil || compact.String() != "{}" {
			return "must be omitted: a GET has no body"
		}
		return ""
	}
	p.payload = payload
	return ""
}

// setTime sets when the schedule is due, or returns the faulty field and what is wrong with it.
func (s *Service) setTime(p *plan, r *Request) (field, msg string) {
	given := 0
	for _, is := range []bool{r.CronExpression != nil, r.ExecuteAt != nil, r.Text != nil} {
		if is {
			given++
		}
	}
	const one = "set exactly one of cron_expression, execute_at and text"
	switch {
	case given == 0:
		return "cron_expression", "is missing: " + one
	case given > 1 && r.ExecuteAt != nil:
		return "execute_at", "cannot be combined with another time: " + one
	case given > 1:
		return "text", "cannot be combined with another time: " + one
	case r.ExecuteAt != nil:
		now := s.config.Now()
		if !r.ExecuteAt.After(now) || r.ExecuteAt.Sub(now) > executeMax {
			return "execute_at", "must be a future time within ten years"
		}
		at := r.ExecuteAt.UTC().Truncate(time.Second)
		p.kind, p.executeAt = TypeOnetime, &at
		return "", ""
	case r.Text != nil:
		f, err := frequency.Parse(*r.Text)
		if err != nil {
			return "text", err.Error()
		}
		p.frequency = f
		return "", ""
	}
	c, err := frequency.ParseCron(*r.CronExpression)
	if err != nil {
		return "cron_expression", strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	if interval := c.Interval(); interval < s.config.IntervalMin {
		return "cron_expression", fmt.Sprintf("has times only %s apart: the minimum is %s", interval, s.config.IntervalMin)
	}
	p.frequency = frequency.Frequency{Cron: c.String(), Text: frequency.Words(c.String()), Named: true, Interval: c.Interval()}
	return "", ""
}
